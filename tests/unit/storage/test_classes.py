from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.puzzle import Puzzle, Symmetry, class_of
from kakehashi.storage import StorageError
from kakehashi.storage.classes import Board, Classes, Member
from tests.support.storing import board


def of(puzzle: Puzzle, name: str) -> Board:
    return Board(*class_of(puzzle), "", name, f"{name}.txt", 3)


def test_classes_come_in_order_with_how_their_members_lie() -> None:
    first, second, third = board(5), board(6), board(7)
    turned = Symmetry.TURN_RIGHT.puzzle(second)
    with Classes() as classes:
        assert classes.add([of(first, "a"), of(second, "b"), of(third, "c")]) == 3
        assert classes.add([of(turned, "d"), of(first, "e"), of(second, "f\udce9")]) == 3
        assert list(classes.members()) == [
            Member(1, 2, Symmetry.IDENTITY, "", "a", "a.txt", 3),
            Member(1, 2, Symmetry.IDENTITY, "", "e", "e.txt", 3),
            Member(2, 3, Symmetry.IDENTITY, "", "b", "b.txt", 3),
            Member(2, 3, Symmetry.TURN_RIGHT, "", "d", "d.txt", 3),
            Member(2, 3, Symmetry.IDENTITY, "", r"f\udce9", r"f\udce9.txt", 3),
        ]


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(Symmetry)), max_size=12))
def test_every_member_is_its_first_laid_as_said(choices: list[tuple[int, Symmetry]]) -> None:
    puzzles = [symmetry.puzzle(board(number)) for number, symmetry in choices]
    digests = [class_of(puzzle)[0] for puzzle in puzzles]
    with Classes() as classes:
        classes.add(of(puzzle, str(place)) for place, puzzle in enumerate(puzzles))
        members = list(classes.members())
    wanted = [place for place, digest in enumerate(digests) if Counter(digests)[digest] > 1]
    assert sorted(int(member.name) for member in members) == wanted
    for member in members:
        place = int(member.name)
        first = digests.index(digests[place])
        assert member.symmetry.puzzle(puzzles[first]) == puzzles[place]
        assert member.size == Counter(digests)[digests[place]]


def test_a_disk_that_fails_is_told() -> None:
    classes = Classes()
    classes._do("PRAGMA max_page_count = 3")
    with pytest.raises(StorageError, match="TMPDIR"):
        classes.add(of(board(number), "x" * 500) for number in range(5000))
    classes._database.close()
    with pytest.raises(StorageError, match="TMPDIR"):
        next(classes.members())
