"""The native engine's proofs, seen by a checker that shares nothing with it."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from kakehashi.puzzle import Puzzle
from kakehashi.solver import Deadline
from tests.support.proof import ProofError, check_proof
from tests.unit.solver.boards import (
    board,
    crowded_board,
    crowded_variant,
    lopsided_board,
    planted_board,
    random_boards,
    variant_board,
)  # fmt: skip
from tests.unit.solver.conftest import WITHOUT_NATIVE

pytest.importorskip("kakehashi.solver._native", reason=WITHOUT_NATIVE)

from kakehashi.solver.native_engine import NativeEngine

TILES = [20, 3, 1]


def prove(puzzle: Puzzle, tile: int, most: int = 10_000) -> tuple[list[bytes], str]:
    """All solutions, and the proof that there are no others; no more than `most`, and then it proves nothing."""
    found: list[bytes] = []
    with NativeEngine(tile=tile, hops=1, budget=100, proof=True).open(puzzle.graph, Deadline()) as search:
        while len(found) < most and (values := search.next_solution()) is not None:
            found.append(values)
        proof = search.proof
    assert proof is not None
    return found, proof


@pytest.mark.parametrize("tile", TILES)
def test_every_verdict_on_small_boards_is_proved(tile: int) -> None:
    for puzzle in random_boards(400, seed=5):
        found, proof = prove(puzzle, tile)
        check_proof(puzzle.graph, proof, found)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("seed", range(40))
def test_every_verdict_on_crowded_boards_is_proved(tile: int, seed: int) -> None:
    puzzle = crowded_board(seed)
    found, proof = prove(puzzle, tile, most=200)
    if len(found) < 200:
        check_proof(puzzle.graph, proof, found)


@pytest.mark.parametrize("tile", TILES)
def test_every_verdict_under_other_rules_is_proved(tile: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(600):
        puzzle = variant_board(random.Random(seed))
        found, proof = prove(puzzle, tile)
        counts.update(check_proof(puzzle.graph, proof, found))
    assert counts["l"] > 10


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("seed", range(12))
def test_every_verdict_on_crowded_boards_without_loops_is_proved(tile: int, seed: int) -> None:
    puzzle = crowded_variant(seed)
    found, proof = prove(puzzle, tile, most=50)
    if len(found) < 50:
        check_proof(puzzle.graph, proof, found)


@pytest.mark.parametrize("tile", TILES)
def test_a_long_proof(tile: int) -> None:
    puzzle = lopsided_board(5)
    found, proof = prove(puzzle, tile)
    counts = check_proof(puzzle.graph, proof)
    assert not found
    assert counts[""] > 100


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("seed", range(4))
def test_planted_boards_with_a_clue_moved(tile: int, seed: int) -> None:
    """Two islands, one clue up and one down: mostly infeasible, by connectivity."""
    puzzle = planted_board(16, 90, seed)
    cells = bytearray(puzzle.cells)
    places = [place for place, clue in enumerate(cells) if clue == 2]
    cells[places[seed]] += 1
    cells[places[-1 - seed]] -= 1
    changed = Puzzle(puzzle.rows, puzzle.cols, bytes(cells))
    found, proof = prove(changed, tile, most=30)
    if len(found) < 30:
        check_proof(changed.graph, proof, found)


def test_cuts_and_clauses_are_dropped_in_the_open() -> None:
    puzzle = lopsided_board(6)
    _, proof = prove(puzzle, tile=20)
    counts = check_proof(puzzle.graph, proof)
    assert counts["k"] > 0
    assert counts["d"] > 0


def test_without_the_flag_there_is_none() -> None:
    with NativeEngine().open(board("2.2", "...", "2.2").graph, Deadline()) as search:
        search.next_solution()
        assert search.proof is None


class TestTheCheckerItself:
    def test_refuses_a_proof_of_what_is_not_so(self) -> None:
        with pytest.raises(ProofError, match="does not hold"):
            check_proof(board("2.2", "...", "2.2").graph, "0\n")

    def test_refuses_a_proof_without_an_end(self) -> None:
        puzzle = lopsided_board(4)
        _, proof = prove(puzzle, tile=20)
        with pytest.raises(ProofError, match="empty clause"):
            check_proof(puzzle.graph, proof.removesuffix("0\n").rstrip("\n").rpartition("\n")[0])

    def test_refuses_a_proof_without_its_cuts(self) -> None:
        puzzle = board("1.1", "...", "1.1")
        _, proof = prove(puzzle, tile=20)
        check_proof(puzzle.graph, proof)
        with pytest.raises(ProofError, match="does not hold"):
            check_proof(puzzle.graph, re.sub(r"^k.*\n", "", proof, flags=re.MULTILINE))

    def test_refuses_what_is_no_cut(self) -> None:
        with pytest.raises(ProofError, match="does not hold"):
            check_proof(board("2.2", "...", "2.2").graph, "k 1 0\n0\n")

    @pytest.mark.parametrize("lines", ["l -1 -2 -3 0", "l -1 -2 3 -4 0", "l 0", "l -1 -2 -3 -4 -5 0", "l -1 -1 0"])
    def test_refuses_what_is_no_loop(self, lines: str) -> None:
        """Two rows of three, a b c over d e f: the variables are a-b, b-c, a-d, d-e, b-e, e-f, c-f."""
        puzzle = board("1.1.1", ".....", "1.1.1", loops=False)
        with pytest.raises(ProofError, match="does not hold"):
            check_proof(puzzle.graph, lines + "\n0\n")

    def test_a_loop_is_one_only_where_the_rules_forbid_it(self) -> None:
        with pytest.raises(ProofError, match="line 2 does not hold"):
            check_proof(board("1.1", "...", "1.1", loops=False).graph, "l -1 -2 -3 -4 0\n0\n")
        with pytest.raises(ProofError, match="line 1 does not hold"):
            check_proof(board("1.1", "...", "1.1").graph, "l -1 -2 -3 -4 0\n0\n")

    def test_refuses_a_blocked_solution_that_was_not_named(self) -> None:
        puzzle = board("2.4.2")
        found, proof = prove(puzzle, tile=20)
        check_proof(puzzle.graph, proof, found)
        with pytest.raises(ProofError, match="does not hold"):
            check_proof(puzzle.graph, proof)

    @pytest.mark.parametrize("lines", ["e 1 -2 0", "e 9 2 3 0", "e 9 -1 0\ne -9 2 0", "e -9 0\ne 9 0\n0"])
    def test_refuses_what_defines_nothing(self, lines: str) -> None:
        with pytest.raises(ProofError, match="does not hold"):
            check_proof(board("2.2", "...", "2.2").graph, lines + "\n0\n")
