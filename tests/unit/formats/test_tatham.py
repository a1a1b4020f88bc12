from __future__ import annotations

import pytest

from kakehashi.formats import FormatError, Limits, get, parse, read, read_answer
from kakehashi.formats.registry import detect
from kakehashi.puzzle import Bridge, Cell, Puzzle, check
from kakehashi.solver import solve
from tests.unit.formats.shapes import shape

SEED = (
    "this id is a seed, which only the program itself can turn into a puzzle: "
    "take the id that it shows as Specific, with a colon"
)
PARAMS = "an id W[xH][iN][eN][mN][L][dN]:desc"
ISLAND = "an island 1..8 or a..z for water"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3:2a2f", ["202/000/000"]),
        ("3x4:2a2i", ["202/000/000/000"]),
        ("4x3:2b2h", ["2002/0000/0000"]),
        ("3m2:2a2f", ["202/000/000"]),
        ("3m1:1a1f", ["101/000/000 m1"]),
        ("3m3:3a3f", ["303/000/000 m3"]),
        ("4m4:DbGl", ["D00G/0000/0000/0000 m4"]),
        ("3L:1a1f", ["101/000/000 L"]),
        ("3m3L:1a1f", ["101/000/000 m3L"]),
        ("3x3i30e10m2d0:1a1f", ["101/000/000"]),
        ("3x3i30e10m4Ld2:1a1f", ["101/000/000 m4L"]),
        ("6x6:1zi", ["100000/000000/000000/000000/000000/000000"]),
        ("  3:2a2f \t", ["202/000/000"]),
        ("3:2a2f\n\n3:1a1f\n", ["202/000/000", "101/000/000"]),
        ("https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/bridges.html#3x3m2:2a2f", ["202/000/000"]),
        ("https://example.org/bridges.html#3x3m2%3A2a2f", ["202/000/000"]),
    ],
)
def test_ids(text: str, expected: list[str]) -> None:
    assert shape(text, "tatham") == expected
    assert detect(text)[0].name == "tatham"


def test_a_link_to_an_id_is_no_url_of_another_format() -> None:
    assert detect("https://example.org/js/bridges.html#3x3m2:2a2f") == (get("tatham"), None)


@pytest.mark.parametrize("text", ["7m2#123", "7x7#123", "7x7i30e10m2d0#a word"])
def test_a_seed_is_known_as_one(text: str) -> None:
    assert detect(text)[0].name == "tatham"


def test_a_row_of_text_with_a_comment_is_no_seed() -> None:
    assert detect("202#a word\n")[0].name == "text"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3:2a2e", "1:7 expected 9 cells, found 8"),
        ("3:2a2g", "1:6 expected 9 cells, found more"),
        ("3:2a2f1", "1:7 expected 9 cells, found more"),
        ("3:2a2", "1:6 expected 9 cells, found 3"),
        ("3:", "1:3 expected 9 cells, found 0"),
        ("3:2A2f", f"1:4 expected {ISLAND}, found 'A'"),
        ("3:9a2f", f"1:3 expected {ISLAND}, found '9'"),
        ("3m4:Ha2f", "1:5 expected an island 1..G or a..z for water, found 'H'"),
        ("3m1:9a2f", "1:5 expected an island 1..8 or a..z for water, found '9'"),
        ("3m3:Da2f", "1:5 expected an island 1..C or a..z for water, found 'D'"),
        ("3:2?2f", f"1:4 expected {ISLAND}, found '?'"),
        ("3:02bf", f"1:3 expected {ISLAND}, found '0'"),
        ("  3:2?2f", f"1:6 expected {ISLAND}, found '?'"),
        ("3m0:1a1f", "1 expected at most 1 to 4 bridges in a channel (m1..m4), found m0"),
        ("3m5:1a1f", "1 expected at most 1 to 4 bridges in a channel (m1..m4), found m5"),
        ("3m:1a1f", "1 expected at most 1 to 4 bridges in a channel (m1..m4), found m"),
        ("2x3:1d1", "1 expected a size of at least 3 x 3, found 2 x 3"),
        ("3x2:1a1c", "1 expected a size of at least 3 x 3, found 3 x 2"),
        ("3000:1", "1 a board of 3000 x 3000 cells: at most 1000 x 1000 are read"),
        ("3Lm2:1a1f", f"1:3 expected {PARAMS}, found 'm2:1a1f'"),
        ("3x3", f"1:4 expected {PARAMS}, found its end"),
        ("7x7m2#123", f"1:6 {SEED}"),
        ("nothing", f"1:1 expected {PARAMS}, found 'nothing'"),
        ("3:11g", "1 islands touch at row 1, column 1, which this program never has"),
        ("3:2a1b1c", "1 islands touch at row 1, column 3, which this program never has"),
        ("3:i", "1 there is no island on the board"),
        ("3:1\x01f", "1:4 control character 0x01: this looks like binary data, not a puzzle"),
    ],
)
def test_what_is_no_id(text: str, message: str) -> None:
    assert shape(text, "tatham") == [message]


def test_islands_at_the_end_of_a_row_and_the_beginning_of_the_next_do_not_touch() -> None:
    assert shape("3:b11e", "tatham") == ["001/100/000"]


def record(name: str, value: str) -> str:
    return f"{name:<8}:{len(value)}:{value}\n"


def save(*records: tuple[str, str], game: str = "Bridges") -> str:
    head = [("SAVEFILE", "Simon Tatham's Portable Puzzle Collection"), ("VERSION", "1"), ("GAME", game)]
    return "".join(record(*pair) for pair in (*head, *records))


SQUARE = (("PARAMS", "9x9m4"), ("CPARAMS", "3x3m2"), ("DESC", "2a2c2a2"))
BOARD = "202/000/202"


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ((), BOARD),
        ((("NSTATES", "1"), ("STATEPOS", "1")), BOARD),
        ((("MOVE", "L0,0,2,0,1"),), f"{BOARD} 0,0-0,2x1"),
        ((("MOVE", "L2,0,0,0,2"), ("MOVE", "L0,0,0,2,1")), f"{BOARD} 0,0-0,2x2 0,0-2,0x1"),
        ((("MOVE", "L0,0,2,0,1"), ("MOVE", "L0,0,2,0,0")), BOARD),
        ((("MOVE", "N0,0,2,0"), ("MOVE", "M0,0"), ("MOVE", "L0,0,0,2,1")), f"{BOARD} 0,0-2,0x1"),
        ((("SOLVE", "S;L0,0,2,0,2;L0,2,2,2,2"),), f"{BOARD} 0,0-0,2x2 2,0-2,2x2"),
        ((("MOVE", "L0,0,2,0,1"), ("RESTART", "2a2c2a2"), ("MOVE", "L0,2,2,2,1")), f"{BOARD} 2,0-2,2x1"),
        ((("NSTATES", "3"), ("STATEPOS", "2"), ("MOVE", "L0,0,2,0,1"), ("MOVE", "L0,2,2,2,1")), f"{BOARD} 0,0-0,2x1"),
        ((("NSTATES", "3"), ("STATEPOS", "1"), ("MOVE", "L0,0,2,0,1"), ("MOVE", "L0,2,2,2,1")), BOARD),
    ],
)
def test_save_files(records: tuple[tuple[str, str], ...], expected: str) -> None:
    assert shape(save(*SQUARE, *records), "tatham") == [expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (save(*SQUARE, game="Pattern"), "1 expected a save file of Bridges, found 'Pattern'"),
        (save(*SQUARE[:2]), "5 expected DESC, the board, found none in this save file"),
        (save(SQUARE[2]), "1 expected CPARAMS, the parameters of the board, found none in this save file"),
        (save(*SQUARE[:2], ("DESC", "2a2c2a")), "6 expected 9 cells, found 8"),
        (save(*SQUARE, ("MOVE", "Q1")), "7 expected a move Lx1,y1,x2,y2,n, Nx1,y1,x2,y2, Mx,y or S, found 'Q1'"),
        (
            save(*SQUARE, ("MOVE", "L0,0,1")),
            "7 expected a move Lx1,y1,x2,y2,n, Nx1,y1,x2,y2, Mx,y or S, found 'L0,0,1'",
        ),
        (save(*SQUARE) + "MOVE    :20:L0,0\n", "7 expected 20 bytes for MOVE, found 4"),
        (save(*SQUARE) + "noise\n", "7 expected NAME:length:value, found 'noise'"),
    ],
)
def test_broken_save_files(text: str, message: str) -> None:
    assert shape(text, "tatham") == [message]
    assert shape(text + save(*SQUARE), "tatham") == [message, BOARD]


def test_a_save_file_of_a_whole_disk_is_refused() -> None:
    limits = Limits(max_bytes=300)
    text = save(*SQUARE, *[("MOVE", "L0,0,2,0,1")] * 100)
    [entry] = read("\n" + text, format="tatham", limits=limits)
    assert entry.error is not None
    assert "a save file of more than 300 characters" in str(entry.error)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("S;L0,0,2,0,1;L2,0,2,2,1", [Bridge(Cell(0, 0), Cell(0, 2), 1), Bridge(Cell(0, 2), Cell(2, 2), 1)]),
        ("L2,0,0,0,1\nL0,0,2,0,2\n", [Bridge(Cell(0, 0), Cell(0, 2), 2)]),
        ("S;", []),
        (save(*SQUARE, ("MOVE", "L0,0,2,0,1")), [Bridge(Cell(0, 0), Cell(0, 2), 1)]),
    ],
)
def test_answers(text: str, answer: list[Bridge]) -> None:
    assert read_answer(text) == answer


def test_an_answer_of_another_board_is_refused() -> None:
    with pytest.raises(FormatError, match="the answer of another puzzle"):
        read_answer(save(*SQUARE), puzzle=parse("3:2a2f"))
    with pytest.raises(FormatError, match="line 1: expected a move"):
        read_answer("L0,0,2", format="tatham")
    with pytest.raises(FormatError, match="the text is empty"):
        read_answer("\n", format="tatham")


@pytest.mark.parametrize(
    ("puzzle", "message"),
    [
        (Puzzle.from_rows([[1, 0, 1]]), "tatham has boards from 3 x 3 on, and this one is 1 x 3"),
        (parse("?.1\n...\n...\n"), "tatham has no sign for an island without a number"),
        (parse("11.\n...\n...\n"), "tatham has no touching islands, as at row 1, column 1 and row 1, column 2"),
    ],
)
def test_what_it_has_no_room_for(puzzle: Puzzle, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        get("tatham").write(puzzle)
    assert str(caught.value) == message


def test_an_answer_with_four_bridges_in_a_channel() -> None:
    puzzle = parse("3x3m4:4a8e4")
    outcome = solve(puzzle)
    assert outcome.solution is not None
    writer = get("tatham").write_answer
    assert writer is not None
    text = writer(outcome.solution)
    assert text.endswith("SOLVE   :23:S;L0,0,2,0,4;L2,0,2,2,4\n")
    bridges = [part for part in read_answer(text, puzzle=puzzle) if isinstance(part, Bridge)]
    assert check(puzzle, bridges) == []
