"""A pytest plugin: the compiled parts come from the folder KAKEHASHI_NATIVE_DEBUG (see `.ci/native-debug`)."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path

NAMES = ("kakehashi.puzzle._graph", "kakehashi.puzzle._judge", "kakehashi.solver._native")


def load(name: str) -> None:
    """Put the debug build where the import of a module looks first."""
    folder = Path(os.environ["KAKEHASHI_NATIVE_DEBUG"])
    stem = name.rpartition(".")[2]
    path = next(path for path in folder.glob(f"{stem}.*") if path.suffix in {".so", ".pyd"})
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[name] = module


for each in NAMES:
    load(each)
