"""A person at a terminal who stops `kakehashi run`, once or twice, and goes on later."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import termios
import threading
import time
from typing import TYPE_CHECKING

from tests.acceptance.place import wait
from tests.faults.scenario import scenario

if TYPE_CHECKING:
    import subprocess

    from kakehashi.puzzle import Puzzle
    from tests.faults.arena import Arena

CTRL_C = b"\x03"


class Terminal:
    """A command in a terminal of its own: what is typed there goes through the terminal, as a person's keys do."""

    def __init__(self, arena: Arena, *arguments: str) -> None:
        self._keys, screen = pty.openpty()
        self.process = arena.place.start(
            *arguments,
            stdin=screen,
            stdout=screen,
            stderr=screen,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C becomes a signal
        )
        os.close(screen)
        self.shown = b""
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # nobody has the screen any more
            while more := os.read(self._keys, 4096):
                self.shown += more

    def press(self, keys: bytes) -> None:
        """Type something."""
        os.write(self._keys, keys)

    def end(self) -> int:
        """Wait until the command has ended; its exit code."""
        self.process.wait(60)
        self._reader.join(10)
        os.close(self._keys)
        assert b"Traceback" not in self.shown, self.shown.decode()
        return self.process.returncode


def stop_again_and_again(arena: Arena, presses: int) -> None:
    """Run, stop at random moments, resume to the end."""
    puzzles = arena.puzzles(slow=30)
    arena.write(puzzles)
    options = ("--workers", "2")
    command: tuple[str, ...] = ("run", "puzzles", "--engine", "slow-marked", "--confirm", "none")
    for _ in range(4):
        terminal = Terminal(arena, *command, *options)
        wait(lambda: b"batch 1" in terminal.shown or terminal.process.poll() is not None, bool)  # noqa: B023
        time.sleep(arena.rng.uniform(0.0, 2.0))
        for _ in range(presses):
            terminal.press(CTRL_C)
            time.sleep(arena.rng.uniform(0.05, 0.2))
        code = terminal.end()
        arena.times += 1
        assert code == 130, terminal.shown.decode()
        assert arena.place.processes() == []
        command = ("resume", "1")
    arena.expect(1, puzzles)
    code = Terminal(arena, *command, *options).end()
    assert code == 0
    assert arena.books.number("SELECT max(tries) FROM shard") == 0, "a stop was taken for a death"


@scenario("Ctrl-C in run and resume, again and again")
def interrupt(arena: Arena) -> None:
    stop_again_and_again(arena, presses=1)


@scenario("Ctrl-C twice in run and resume, again and again")
def interrupt_twice(arena: Arena) -> None:
    stop_again_and_again(arena, presses=2)


def run_at_work(arena: Arena) -> tuple[list[Puzzle], subprocess.Popen[str]]:
    """Puzzles, and a `kakehashi run` that has solved some of them."""
    puzzles = arena.puzzles()
    arena.write(puzzles)
    process = arena.place.start("run", "puzzles", "--engine", "slow-marked", "--workers", "2")
    wait(lambda: arena.books.number("SELECT count(*) FROM shard WHERE solved > 0"), bool)
    return puzzles, process


@scenario("a terminal that is closed while run is at work")
def hang_up(arena: Arena) -> None:
    puzzles, process = run_at_work(arena)
    process.send_signal(signal.SIGHUP)
    arena.place.end(process, expect=130)
    arena.times += 1
    arena.expect(1, puzzles)
    arena.place.call("resume", "1", "--workers", "2")


@scenario("kill -9 of run, then resume")
def kill_run(arena: Arena) -> None:
    puzzles, process = run_at_work(arena)
    process.kill()
    arena.place.end(process, expect=-signal.SIGKILL)
    arena.times += 1
    arena.expect(1, puzzles)
    arena.place.call("resume", "1", "--workers", "2")


@scenario("kill -9 of submit and resume while they read")
def kill_submit(arena: Arena) -> None:
    arena.worker()
    puzzles = 16 * arena.puzzles(slow=0, made=40)
    arena.write(puzzles)
    read = 0
    for command in (("submit", "puzzles", "--confirm", "none"), ("resume", "1", "--workers", "1")):
        process = arena.place.start(*command)
        read = wait(lambda: arena.books.number("SELECT max(entries) FROM batch"), lambda entries: entries > read)  # noqa: B023
        process.kill()
        arena.place.end(process, expect=-signal.SIGKILL)
        assert arena.books.number("SELECT count(*) FROM batch WHERE sealed_at IS NULL") == 1, "it came too late"
        arena.times += 1
    arena.expect(1, puzzles)
    arena.place.call("resume", "1", "--workers", "1")
