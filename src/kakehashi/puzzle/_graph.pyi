# The compiled graph builder: native/graph/module.cpp.

from collections.abc import Callable

_Bytes = tuple[bytes, bytes, bytes, bytes | None, bytes, bytes, bytes, bytes, bytes, bytes]

def build(cells: bytes, rows: int, cols: int, capacity: int, look: Callable[[], object]) -> _Bytes: ...
