"""A wall clock that jumps, for real processes: what `faketime` does, which breaks `time.sleep` of Python 3.11."""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Self

import pytest

_SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static int (*real)(clockid_t, struct timespec *);
static const volatile int64_t *offset;

__attribute__((constructor)) static void begin(void) {
    real = dlsym(RTLD_NEXT, "clock_gettime");
    int file = open(getenv("CLOCK_OFFSET"), O_RDONLY);
    void *seconds = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    if (file < 0 || seconds == MAP_FAILED) abort();
    offset = seconds;
}
int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!real) begin();
    int failed = real(clock, now);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += *offset;
    return failed;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *now) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}
"""


class Clock:
    """The wall clock of all processes that have `environment`; their monotonic clocks go on as they are.

    Skips the test where no C compiler is.
    """

    def __init__(self) -> None:
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("no C compiler, which makes the clock that jumps")
        self._folder = folder = Path(tempfile.mkdtemp(prefix="kakehashi-clock-"))
        folder.chmod(0o755)  # a server may be another user's
        source, library, offset = folder / "clock.c", folder / "clock.so", folder / "offset"
        source.write_text(_SOURCE)
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        offset.write_bytes(bytes(8))
        with offset.open("r+b") as file:
            self._offset = mmap.mmap(file.fileno(), 8)
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(offset)}

    def set(self, seconds: int) -> None:
        """Let the clock show so much more than the true time."""
        self._offset[:] = struct.pack("=q", seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._offset.close()
        shutil.rmtree(self._folder)
