"""The prototype that the native engine grew out of, built outside of the tree from a folder with its sources.

It is no part of this project: a C++ search (`cdcl.cpp`, entry `hk_inc`) behind graph and propagation in numba
(`propagation.py`). Both are copied into the user's cache, since numba writes its machine code beside the source.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.rivals.rival import INFEASIBLE, TIMEOUT, Answer, Claim, RivalMissing

if TYPE_CHECKING:
    from kakehashi.puzzle import Puzzle

SOURCES = ("cdcl.cpp", "propagation.py")

PARAMETERS = {2: 100, 4: 1, 5: 900, 9: 2, 10: 4000, 12: 20, 14: 1000, 17: 1, 25: 1}
"""The best values that its header names; all others are 0."""


class Prototype:
    """Its graph, its propagation, its search; the channels come in the same order as ours.

    Raises:
        RivalMissing: the sources, numba or a C++ compiler are not there.
    """

    name = "prototype"

    def __init__(self, sources: Path) -> None:
        try:
            import numba

            folder = build(sources)
        except (ImportError, OSError, subprocess.CalledProcessError) as error:
            raise RivalMissing(f"prototype is left out: it cannot be built from {sources}: {error}") from error
        self._search = ctypes.CDLL(str(folder / "libcdcl.so")).hk_inc
        self._propagation = _module(folder / "propagation.py")
        self.version = f"g++ -O2 and numba {numba.__version__} for the prototype"

    def solve(self, puzzle: Puzzle, budget: float) -> Answer:
        """Graph, propagation, search."""
        import numpy as np

        rows, cols = puzzle.rows, puzzle.cols
        grid = np.frombuffer(puzzle.cells, np.int8).reshape(rows, cols).astype(np.int32)
        clue, row, col, sides, end_a, end_b, _, start, crossing = self._propagation.build(grid)
        n, m = len(clue), len(end_a)
        low: Any = np.zeros(m, np.int8)
        high = np.minimum(2, np.minimum(clue[end_a], clue[end_b])).astype(np.int8)
        if self._propagation.propagate(clue, sides, end_a, end_b, start, crossing, low, high) < 0:
            return INFEASIBLE
        values: Any = np.zeros(m, np.int8)
        statistics: Any = np.zeros(16, np.int64)
        parameters: Any = np.zeros(32, np.int32)
        for place, value in PARAMETERS.items():
            parameters[place] = value
        said = self._search(
            n, m, _at(clue), _at(end_a), _at(end_b), _at(sides), _at(start), _at(crossing), _at(low), _at(high),
            _at(row), _at(col), rows, cols, _at(values), _at(statistics), _at(parameters), ctypes.c_double(budget),
        )  # fmt: skip
        if said == 1:
            return Answer(Claim.SOLVED, values.tobytes())
        return INFEASIBLE if said == 0 else TIMEOUT


def build(sources: Path) -> Path:
    """The folder with the built prototype, which stays for the next time, under a name made of what was built.

    Raises:
        OSError: a source or the compiler is not there.
        subprocess.CalledProcessError: it does not compile.
    """
    digest = hashlib.blake2b(b"".join((sources / name).read_bytes() for name in SOURCES), digest_size=8).hexdigest()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kakehashi-benchmarks"
    built = cache / f"prototype-{digest}"
    if not built.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as name:
            work = Path(name) / "built"
            work.mkdir()
            for source in SOURCES:
                shutil.copy(sources / source, work)
            command = ["g++", "-O2", "-std=c++17", "-shared", "-fPIC", "-o", "libcdcl.so", "cdcl.cpp"]
            subprocess.run(command, cwd=work, check=True, capture_output=True)
            try:
                work.rename(built)
            except OSError:
                if not built.is_dir():  # another process was quicker
                    raise
    return built


def _at(numbers: Any) -> ctypes.c_void_p:
    """The address of an array's data; a copy would be lost at once, so it has to be contiguous already."""
    if not numbers.flags.c_contiguous:
        raise ValueError("the prototype takes contiguous arrays")
    return ctypes.c_void_p(numbers.ctypes.data)


def _module(path: Path) -> Any:
    """Import a file; numba finds the source of what it compiles through the name in `sys.modules`."""
    spec = importlib.util.spec_from_file_location("prototype_propagation", path)
    if spec is None or spec.loader is None:
        raise RivalMissing(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
