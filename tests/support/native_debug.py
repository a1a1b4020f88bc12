"""A pytest plugin: the native engine comes from the folder KAKEHASHI_NATIVE_DEBUG (see `.ci/native-debug`)."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path

NAME = "kakehashi.solver._native"


def load() -> None:
    """Put the debug build where the import of the engine looks first."""
    folder = Path(os.environ["KAKEHASHI_NATIVE_DEBUG"])
    path = next(path for path in folder.glob("_native*") if path.suffix in {".so", ".pyd"})
    loader = importlib.machinery.ExtensionFileLoader(NAME, str(path))
    spec = importlib.util.spec_from_file_location(NAME, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[NAME] = module


load()
