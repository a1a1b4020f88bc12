"""Feed every reader with damaged files: `uv run python -m scripts.fuzz_formats --seconds 1800`.

The corpus is the examples of every format, and made boards and answers as every format writes them. A case takes one of
these, mutates it (bytes, numbers, lines, splices, encodings, nesting), perhaps packs it and mutates the archive, too,
and reads it as a file, as a text or as an answer, under a named format or none. What must hold:

- no exception comes out but `FormatError` of an answer,
- every entry has exactly one of a puzzle and an error, and there is one at least,
- what was read is written and read back the same, by every format that has room for it,
- a case ends in time (a file of a million bad puzzles gets more of it), and the process stays below its memory.

Cases run in a child whose address space is limited; a parent watches the clock. A case depends on the seed and its
number alone: what fails is shown as a command that runs it again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.make_puzzles import make_puzzle
from kakehashi.formats import FormatError, formats, parse, read, read_answer
from scripts.mutations import mutated, packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kakehashi.formats import Entry, Format
    from kakehashi.puzzle import Puzzle


class Found(NamedTuple):
    """A case that failed."""

    case: int
    what: str


class Tally(NamedTuple):
    """What the cases came to."""

    cases: int
    puzzles: int
    errors: int
    slowest: float
    slowest_case: int
    peak: int
    found: list[Found]


class Text(NamedTuple):
    """A text of the corpus, and the format that it is in."""

    format: str
    data: bytes


def corpus(seed: int) -> list[Text]:
    """Texts of every format."""
    rng = random.Random(seed)
    texts: list[Text] = []
    boards = [make_puzzle(rng, side, side + 1, side * side // 6) for side in (4, 7, 12, 25)]
    for format_ in formats():
        written = [text for board in boards if (text := _written(format_, board)) is not None]
        many = [] if format_.separator is None else [format_.separator.join(written)]
        answers = [text for board in boards[:2] if (text := _answer(format_, board)) is not None]
        texts += [Text(format_.name, text.encode()) for text in (*format_.examples, *written, *many, *answers)]
    return texts


def _written(format_: Format, puzzle: Puzzle) -> str | None:
    try:
        return format_.write(puzzle)
    except FormatError:
        return None


def _answer(format_: Format, puzzle: Puzzle) -> str | None:
    from kakehashi.solver import solve

    solution = solve(puzzle, budget=5.0).solution
    return format_.write_answer(solution) if format_.write_answer is not None and solution is not None else None


def run_case(
    seed: int, case: int, texts: Sequence[Text], folder: Path, beat: Callable[[], None] = lambda: None
) -> tuple[int, int]:
    """Run one case; how many puzzles and how many errors came out. `beat` is called every some thousand entries.

    Raises:
        AssertionError: something that must hold does not.
    """
    rng = random.Random(f"{seed}:{case}")
    chosen = rng.choice(texts)
    others = [text.data for text in texts]
    data = mutated(rng, chosen.data, others)
    name = rng.choice((None, None, chosen.format, chosen.format, rng.choice(formats()).name))
    way = rng.random()
    if way < 0.15:
        try:
            read_answer(data.decode("utf-8", "surrogateescape"), format=_answers(name))
        except FormatError as error:
            str(error)
        return 0, 1
    if way < 0.4:
        data = packed(rng, data, others)
        if rng.random() < 0.7:
            data = mutated(rng, data, others)
    path = (
        folder
        / f"case{rng.choice(('', '', '', '.txt', '.txt', '.json', '.jsonl', '.csv', '.has', '.pl', '.zip', '.txt.gz'))}"
    )
    path.write_bytes(data)
    try:
        return judge(rng, read(path, format=name), beat)
    finally:
        path.unlink()


def _answers(name: str | None) -> str | None:
    """The format, if it has answers."""
    return next((format_.name for format_ in formats() if format_.name == name and format_.read_answer), None)


def judge(rng: random.Random, entries: Iterable[Entry], beat: Callable[[], None]) -> tuple[int, int]:
    """See that entries are what they must be; how many puzzles and how many errors.

    Raises:
        AssertionError: they are not.
    """
    puzzles = errors = 0
    for k, entry in enumerate(entries):
        if k % 4096 == 0:
            beat()
        assert (entry.puzzle is None) != (entry.error is None), f"neither or both: {entry!r:.300}"  # noqa: S101
        assert entry.name, "an entry without a name"  # noqa: S101
        assert entry.line >= 0, f"line {entry.line}"  # noqa: S101
        if entry.puzzle is None:
            errors += 1
            str(entry.error)
            continue
        puzzles += 1
        if rng.random() < 2 / (puzzles + 1):
            _round_trip(rng.choice(formats()), entry.puzzle)
    assert puzzles + errors, "no entry at all"  # noqa: S101
    return puzzles, errors


def _round_trip(format_: Format, puzzle: Puzzle) -> None:
    text = _written(format_, puzzle)
    if text is None:
        return
    assert parse(text, format=format_.name) == puzzle, f"{format_.name} does not give back {puzzle!r:.300}"  # noqa: S101


def _address_space() -> int:
    """Bytes of address space that this process began with: what its parent had loaded is no reader's."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:  # only Linux has it
        return 0


def _work(
    seed: int, first: int, last: int | None, until: float, memory: int, at: Any, since: Any, results: Any
) -> None:
    """Run cases in a child; what was found goes into the queue."""
    texts = corpus(seed)

    def beat() -> None:
        since.value = time.monotonic()

    if memory:
        limit = memory + _address_space()
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    case, puzzles, errors, slowest, slowest_case = first, 0, 0, 0.0, first
    with tempfile.TemporaryDirectory() as folder:
        while (last is None or case < last) and time.monotonic() < until:
            at.value, started = case, time.monotonic()
            since.value = started
            try:
                more = run_case(seed, case, texts, Path(folder), beat)
                puzzles, errors = puzzles + more[0], errors + more[1]
            except Exception:  # noqa: BLE001 - that is what is looked for
                results.put(Found(case, traceback.format_exc(limit=-6)))
            took = time.monotonic() - started
            if took > slowest:
                slowest, slowest_case = took, case
            case += 1
    since.value = 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    results.put(Tally(case - first, puzzles, errors, slowest, slowest_case, peak, []))


def fuzz(
    seed: int,
    *,
    seconds: float,
    cases: int | None = None,
    first: int = 0,
    time_limit: float = 20.0,
    memory_mib: int = 1024,
) -> Tally:
    """Run cases for some seconds, or so many of them, each in time and all in little memory."""
    context = multiprocessing.get_context("fork")
    until = time.monotonic() + seconds
    last = None if cases is None else first + cases
    sums, found, next_case = Tally(0, 0, 0, 0.0, first, 0, []), list[Found](), first
    while time.monotonic() < until and (last is None or next_case < last):
        at, since, results = context.RawValue("q", next_case), context.RawValue("d", 0.0), context.Queue()
        child = context.Process(
            target=_work, args=(seed, next_case, last, until, memory_mib << 20, at, since, results), daemon=True
        )
        child.start()
        part, ended = _watch(child, since, results, time_limit, found)
        if part is not None:
            sums = _added(sums, part)
        if ended:
            break
        found.append(Found(at.value, f"it took more than {time_limit:g} s, or the process died: {child.exitcode}"))
        sums = sums._replace(cases=sums.cases + at.value + 1 - next_case)
        next_case = at.value + 1
    return sums._replace(found=found)


def _watch(child: Any, since: Any, results: Any, time_limit: float, found: list[Found]) -> tuple[Tally | None, bool]:
    """Collect what a child finds until it ends; False where it had to be ended or died."""
    import queue

    while True:
        try:
            result = results.get(timeout=0.5)
        except queue.Empty:
            if since.value and time.monotonic() - since.value > time_limit:
                child.kill()
                child.join()
                return None, False
            if not child.is_alive() and results.empty():
                return None, False
            continue
        if isinstance(result, Tally):
            child.join()
            return result, True
        found.append(result)


def _added(one: Tally, two: Tally) -> Tally:
    slow = max((one.slowest, one.slowest_case), (two.slowest, two.slowest_case))
    return Tally(
        one.cases + two.cases, one.puzzles + two.puzzles, one.errors + two.errors, *slow, max(one.peak, two.peak), []
    )


def main(arguments: list[str]) -> int:
    """Fuzz, report, and end with 1 where something was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, help="so many cases at most")
    parser.add_argument("--case", type=int, help="this case alone")
    parser.add_argument("--time-limit", type=float, default=20, help="seconds that one case may take")
    parser.add_argument("--memory", type=int, default=1024, help="MiB of address space of the process")
    given = parser.parse_args(arguments)
    first, cases = (given.case, 1) if given.case is not None else (0, given.cases)
    start = time.monotonic()
    tally = fuzz(
        given.seed,
        seconds=given.seconds,
        cases=cases,
        first=first,
        time_limit=given.time_limit,
        memory_mib=given.memory,
    )
    took = time.monotonic() - start
    for case, what in tally.found[:20]:
        print(f"--seed {given.seed} --case {case}\n{what}")
    print(
        f"{tally.cases} cases in {took:.0f} s: {tally.puzzles} puzzles, {tally.errors} errors, "
        f"{len(tally.found)} found; slowest {tally.slowest:.2f} s (case {tally.slowest_case}), peak {tally.peak} MiB"
    )
    return 1 if tally.found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
