# The compiled judge: native/judge/module.cpp.

from array import array

def is_right(
    cells: bytes,
    rows: int,
    cols: int,
    max_bridges: int,
    loops: bool,
    row: array[int],
    col: array[int],
    first: array[int],
    last: array[int],
    count: bytes,
) -> bool: ...
