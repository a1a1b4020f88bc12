from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given

from kakehashi.puzzle import check
from kakehashi.render.drawing import drawing
from kakehashi.render.svg import svg
from kakehashi.render.theme import DARK, LIGHT, Theme
from tests.unit.render.boards import answers, board, bridge, puzzles, senseless

if TYPE_CHECKING:
    from kakehashi.puzzle import Bridge, Puzzle, Solution

SVG = "{http://www.w3.org/2000/svg}"


def picture(
    puzzle: Puzzle, bridges: list[Bridge] | Solution | None = None, theme: Theme = Theme.LIGHT, *, judged: bool = False
) -> ET.Element:
    violations = check(puzzle, bridges) if judged and isinstance(bridges, list) else ()
    return ET.fromstring(svg(drawing(puzzle, bridges, violations=violations), theme))


def group(root: ET.Element, name: str) -> list[ET.Element]:
    """The elements of the groups of this class."""
    return [item for each in root.iter(f"{SVG}g") if name in each.get("class", "").split() for item in each]


def points(path: str) -> list[tuple[int, int]]:
    """The points of a path that is made of M, L, H and V."""
    found: list[tuple[int, int]] = []
    for command, numbers in re.findall(r"([MLHV])([-0-9 ]+)", path):
        given_ = [int(number) for number in numbers.split()]
        match command:
            case "H":
                found.append((given_[0], found[-1][1]))
            case "V":
                found.append((found[-1][0], given_[0]))
            case _:
                found.append((given_[0], given_[1]))
    return found


def test_one_element_a_line_in_whole_units() -> None:
    assert svg(drawing(board("2.2", "..."), [bridge((0, 0), (0, 2), 2)]), cell=48) == (
        '<svg xmlns="http://www.w3.org/2000/svg" class="kakehashi kakehashi-light" role="img" width="160" height="112"'
        ' viewBox="0 0 160 112">\n'
        "<title>Bridges puzzle, 2 x 3, with bridges</title>\n"
        "<desc>2 islands; double bridges: 1</desc>\n"
        '<rect class="board" width="160" height="112" fill="#ffffff"/>\n'
        '<g class="water" fill="none" stroke="#c3cad3" stroke-width="4" stroke-linecap="round"'
        ' stroke-dasharray="0 48">\n'
        '<path d="M32 80H129"/>\n'
        "</g>\n"
        '<g class="bridges" fill="none" stroke="#0f5fa6" stroke-width="4">\n'
        '<path d="M32 26H128M32 38H128"/>\n'
        "</g>\n"
        '<g class="islands" fill="#ffffff" stroke="#1d2733" stroke-width="3">\n'
        '<circle cx="32" cy="32" r="18"/>\n'
        '<circle cx="128" cy="32" r="18"/>\n'
        "</g>\n"
        '<g class="clues" fill="#10161d" font-family="Helvetica, Arial, sans-serif" font-size="24"'
        ' text-anchor="middle">\n'
        '<text x="32" y="41">2</text>\n'
        '<text x="128" y="41">2</text>\n'
        "</g>\n"
        "</svg>\n"
    )


@given(answers())
def test_circles_are_islands_and_strokes_are_bridges(solution: Solution) -> None:
    root = picture(solution.puzzle, solution)
    assert len(list(root.iter(f"{SVG}circle"))) == len(solution.puzzle.islands)
    assert len(list(root.iter(f"{SVG}text"))) == len(solution.puzzle.islands)
    strokes = "".join(path.get("d", "") for path in group(root, "bridges"))
    assert strokes.count("M") == sum(count for _, _, count in solution.bridges)


@given(puzzles(), senseless)
def test_nothing_lies_outside_of_the_picture(puzzle: Puzzle, bridges: list[Bridge]) -> None:
    root = picture(puzzle, bridges, judged=True)
    _, _, width, height = map(int, root.get("viewBox", "").split())
    found = [point for path in root.iter(f"{SVG}path") for point in points(path.get("d", ""))]
    for circle in root.iter(f"{SVG}circle"):
        x, y, radius = (int(circle.get(name, "")) for name in ("cx", "cy", "r"))
        found += [(x - radius - 3, y - radius - 3), (x + radius + 3, y + radius + 3)]
    for text in root.iter(f"{SVG}text"):
        found.append((int(text.get("x", "")), int(text.get("y", ""))))
    assert all(0 <= x <= width and 0 <= y <= height for x, y in found)


@given(answers())
def test_the_markup_is_well_formed_whatever_the_title_and_theme(solution: Solution) -> None:
    for theme in Theme:
        text = svg(drawing(solution.puzzle, solution, title="<a> & \x1b\ud800 b"), theme)
        assert all(line.startswith("<") or theme is Theme.AUTO for line in text.splitlines())
        assert ET.fromstring(text.encode()).findtext(f"{SVG}title") == "<a> & \ufffd\ufffd b"


def test_clues_of_two_characters_are_smaller() -> None:
    root = picture(board("g?", max_bridges=4))
    assert [(text.text, text.get("font-size")) for text in root.iter(f"{SVG}text")] == [("16", "20"), ("?", None)]


@pytest.mark.parametrize(("strokes", "offsets"), [(1, [0]), (2, [-6, 6]), (3, [-10, 0, 10]), (4, [-12, -4, 4, 12])])
def test_strokes_lie_beside_each_other(strokes: int, offsets: list[int]) -> None:
    (path,) = group(picture(board("4.4", max_bridges=4), [bridge((0, 0), (0, 2), strokes)]), "bridges")
    assert [y - 32 for _, y in points(path.get("d", ""))[::2]] == offsets
    (path,) = group(picture(board("4", ".", "4", max_bridges=4), [bridge((0, 0), (2, 0), strokes)]), "bridges")
    assert [x - 32 for x, _ in points(path.get("d", ""))[::2]] == offsets


def test_touching_islands_leave_room_for_their_bridges() -> None:
    root = picture(board("22"), [bridge((0, 0), (0, 1), 2)])
    circles = [int(circle.get("cx", "")) for circle in root.iter(f"{SVG}circle")]
    assert circles[1] - circles[0] - 2 * (18 + 1.5) == 9


def test_themes_differ_in_colours_alone() -> None:
    made = drawing(board("1.1"), [bridge((0, 0), (0, 2))])
    light, dark, auto = (svg(made, theme) for theme in Theme)
    assert LIGHT.bridge in light
    assert DARK.bridge not in light
    assert DARK.bridge in dark
    assert LIGHT.bridge not in dark
    assert re.sub(r"#\w{6}|kakehashi-\w+", "", light) == re.sub(r"#\w{6}|kakehashi-\w+", "", dark)
    without_sheet = re.sub(r"<style>.*</style>\n", "", auto, flags=re.DOTALL)
    assert without_sheet.replace("kakehashi-auto", "kakehashi-light") == light
    assert f".kakehashi-auto .bridges {{ stroke: {DARK.bridge} }}" in auto


def test_what_is_wrong_is_dashed_bold_and_crossed() -> None:
    puzzle = board(".1.", "1.1", ".1.")
    root = picture(puzzle, [bridge((0, 1), (2, 1)), bridge((1, 0), (1, 2))], judged=True)
    (wrong,) = [each for each in root.iter(f"{SVG}g") if each.get("class") == "bridges wrong"]
    assert (len(wrong), wrong.get("stroke-dasharray"), wrong.get("stroke")) == (2, "10 6", LIGHT.wrong)
    assert len(group(root, "crosses")) == 1


def test_it_says_what_it_is() -> None:
    root = picture(board("1.1"))
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert [element for element in root.iter() if element.get("id")] == []
