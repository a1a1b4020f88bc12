"""Write the exact version of every package into pyproject.toml, or show them.

    python scripts/pin.py           resolve afresh with uv and rewrite the block between the markers
    python scripts/pin.py --show    print the versions as a constraints file, for pip

Standard library only, so that it runs before anything is installed. A lock file would do the same and more, yet it
carries download addresses; these lists carry names and versions only.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
BEGIN = "# pin: begin (written by scripts/pin.py)\n"
END = "# pin: end\n"


def split(text: str) -> tuple[str, str]:
    """Return what stands before and after the pinned block, markers included."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{PROJECT}: expected the lines {BEGIN.strip()!r} and {END.strip()!r}, found not both; put them back")
    return before + begin, end + after


def uv(*arguments: str, cwd: Path) -> str:
    """Run uv in a folder and return what it prints."""
    program = os.environ.get("UV") or shutil.which("uv")
    if program is None:
        sys.exit("uv is not on the path: install it with `pip install uv`")
    done = subprocess.run([program, *arguments], cwd=cwd, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def locked(lock: dict[str, Any]) -> list[str]:
    """Turn the packages of a lock file into requirements; where versions differ by platform, with the marker."""
    pins = []
    for package in lock["package"]:
        if "registry" not in package["source"]:
            continue  # the project itself
        marker = " or ".join(f"({m})" for m in package.get("resolution-markers", ()))
        pins.append(f"{package['name']}=={package['version']}" + (f" ; {marker}" if marker else ""))
    return sorted(pins)


def build_pins(requires: list[str], cwd: Path) -> list[str]:
    """Resolve what the build backend needs, for every supported Python and platform."""
    (cwd / "build.in").write_text("\n".join(requires) + "\n", encoding="utf-8")
    arguments = ("--universal", "--python-version", "3.11", "--upgrade", "--no-header", "--no-annotate", "--quiet")
    return sorted(uv("pip", "compile", *arguments, "build.in", cwd=cwd).split("\n"))[1:]


def block(name: str, pins: list[str]) -> str:
    """Write one list of pins as TOML."""
    lines = "".join(f"    '{pin}',\n" if '"' in pin else f'    "{pin}",\n' for pin in pins)
    return f"{name} = [\n{lines}]\n"


def pin() -> None:
    """Resolve everything afresh, in a copy that has no pins, and rewrite the block."""
    text = PROJECT.read_text(encoding="utf-8")
    before, after = split(text)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pyproject.toml").write_text(before + after, encoding="utf-8")
        uv("lock", "--upgrade", "--quiet", cwd=folder)
        pins = locked(tomllib.loads((folder / "uv.lock").read_text(encoding="utf-8")))
        build = build_pins(tomllib.loads(text)["build-system"]["requires"], folder)
    new = before + block("constraint-dependencies", pins) + block("build-constraint-dependencies", build) + after
    PROJECT.write_text(new, encoding="utf-8")
    print(f"{len(pins)} packages and {len(build)} of the build pinned" + (", nothing changed" if new == text else ""))


def show() -> None:
    """Print the pins as a constraints file."""
    with PROJECT.open("rb") as file:
        settings = tomllib.load(file)["tool"]["uv"]
    # A package of the build may differ from the program's own: pip builds apart, so only the program's pins are shown.
    print("\n".join(settings["constraint-dependencies"]))


def main() -> None:
    """Read the one option and do the work."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the pinned versions and change nothing")
    if parser.parse_args().show:
        show()
    else:
        pin()


if __name__ == "__main__":
    main()
