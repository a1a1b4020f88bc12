# The compiled graph builder: native/graph/module.cpp.

from collections.abc import Callable
from typing import TypeAlias

_Bytes: TypeAlias = tuple[bytes, bytes, bytes, bytes | None, bytes, bytes, bytes, bytes, bytes, bytes]

def build(cells: bytes, rows: int, cols: int, capacity: int, look: Callable[[], object]) -> _Bytes: ...
