from __future__ import annotations

import subprocess
import sys

import pytest

import kakehashi
from kakehashi.errors import UsageError
from kakehashi.render import PictureFormat, Theme, draw, render
from tests.unit.render.boards import board, bridge, bridged

PUZZLE = board("2.2")
SOLUTION = bridged(PUZZLE, bridge((0, 0), (0, 2), 2))


def test_a_solution_brings_its_puzzle() -> None:
    assert render(SOLUTION) == render(PUZZLE, SOLUTION) == render(PUZZLE, list(SOLUTION.bridges)) == "2═══2\n"
    assert render(PUZZLE) == "2 · 2\n"


def test_the_folder_is_the_function_too() -> None:
    assert kakehashi.render(PUZZLE, SOLUTION, ascii=True) == draw(PUZZLE, SOLUTION, ascii=True)
    assert kakehashi.render(SOLUTION, format="svg", theme="dark").startswith("<svg")
    assert kakehashi.render(SOLUTION, format="png", cell=20).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"format": "gif"}, "there is no picture format 'gif'; there are text, svg, png"),
        ({"format": "svg", "theme": "pink"}, "there is no theme 'pink'; there are light, dark, auto"),
        ({"format": "svg", "cell": 3}, "a cell has 10 to 512 pixels, not 3"),
    ],
)
def test_what_there_is_not_is_told(options: dict, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        render(PUZZLE, **options)


def test_the_words_are_those_of_the_enums() -> None:
    assert [str(kind) for kind in PictureFormat] == ["text", "svg", "png"]
    assert [str(theme) for theme in Theme] == ["light", "dark", "auto"]


def test_notebooks_show_pictures() -> None:
    assert PUZZLE._repr_svg_() == render(PUZZLE, format="svg", theme="auto")
    assert SOLUTION._repr_svg_() == render(SOLUTION, format="svg", theme="auto")


def test_a_picture_is_paid_for_by_those_who_draw() -> None:
    program = (
        "import sys, kakehashi; p = kakehashi.parse('1 0 1'); print('kakehashi.render' in sys.modules, end=' ');"
        "p._repr_svg_(); print('kakehashi.render' in sys.modules, 'PIL' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "False True False\n"
