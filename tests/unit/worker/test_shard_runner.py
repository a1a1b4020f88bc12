"""The runner on a real database, with engines of the tests' own; time passes only where a test lets it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from kakehashi.errors import ServiceUnreachable
from kakehashi.puzzle import Confirm, Termination, Verdict
from kakehashi.settings import Settings
from kakehashi.solver import engines as registry
from kakehashi.storage import Repository, RunOptions, Status
from kakehashi.worker import shard_runner
from kakehashi.worker.shard_runner import ShardRunner
from tests.support import engines
from tests.support.storing import apart, easy, entries_of, marked, shards_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kakehashi.puzzle import Graph, Puzzle
    from kakehashi.storage import Claim, Progress

SETTINGS = Settings()


@pytest.fixture
def repository(sqlite_url: str) -> Iterator[Repository]:
    with Repository(sqlite_url) as opened:
        yield opened


def submit(
    repository: Repository,
    puzzles: list[Puzzle],
    engine: str = "auto",
    budget: float = 10.0,
    confirm: Confirm = Confirm.NONE,
    total_budget: float | None = None,
) -> int:
    """One shard with these puzzles; its number."""
    batch = repository.create_batch("b", {})
    options = RunOptions(budget=budget, engine=engine, confirm=confirm, total_budget=total_budget)
    run = repository.create_run(batch, options)
    repository.append(batch, run, 0, entries_of(puzzles), shards_of(len(puzzles)))
    repository.seal_batch(batch)
    repository.seal_run(run)
    return repository.due_bells(1)[0].shard


def progress_of(repository: Repository) -> Progress:
    return repository.progress(1)


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def spy(monkeypatch: pytest.MonkeyPatch, repository: Repository, *names: str) -> list[str]:
    """The names of the repository's methods as they are called."""
    calls: list[str] = []

    def watch(name: str, method: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            calls.append(name)
            return method(*args, **kwargs)

        return call

    for name in names:
        monkeypatch.setattr(repository, name, watch(name, getattr(repository, name)))
    return calls


def test_a_shard_is_solved_checked_and_closed(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    shard = submit(repository, [easy(0), easy(1), marked()])
    calls = spy(monkeypatch, repository, "record", "finish", "note", "extend", "shed")
    ShardRunner(repository, SETTINGS, "w/1", clock=Clock()).run(shard)
    assert calls == ["finish"]  # a short shard is one write, and nothing is noted
    progress = progress_of(repository)
    assert progress.finished
    assert progress.counts[Status.SOLVED] == 3
    result = repository.result(1, 0)
    assert (result.values, result.engine, result.attempts) == (b"\x02", registry.engine_named().name, 1)
    assert result.wall_ms is not None
    assert result.wall_ms > 0


def test_a_duplicate_bell_is_a_no_op(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    shard = submit(repository, [easy(0)])
    runner = ShardRunner(repository, SETTINGS, "w/1")
    runner.run(shard)
    calls = spy(monkeypatch, repository, "record", "finish", "release")
    runner.run(shard)
    assert calls == []
    assert repository.result(1, 0).attempts == 1


def test_somebody_elses_shard_is_left_alone(repository: Repository) -> None:
    shard = submit(repository, [easy(0)])
    claim = repository.claim(shard, "other/1", 60.0)
    assert claim is not None
    ShardRunner(repository, SETTINGS, "w/1").run(shard)
    assert progress_of(repository).counts[Status.QUEUED] == 1
    repository.extend(claim, 60.0)  # still theirs


def test_what_a_dead_sibling_had_is_taken_over_at_once(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    shard = submit(repository, [easy(0), easy(1)])
    assert repository.claim(shard, "w/1", 3600.0) is not None
    calls = spy(monkeypatch, repository, "note")
    ShardRunner(repository, SETTINGS, "w/2", death=lambda owner: "" if owner == "w/1" else None).run(shard)
    assert progress_of(repository).counts[Status.SOLVED] == 2
    assert calls == ["note", "note"]  # a retaken shard is worked on carefully


def test_finished_attempts_are_written_after_a_while(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    shard = submit(repository, [easy(i) for i in range(4)], engine="ticking")
    clock = Clock()

    def tick(*_: object) -> None:
        clock.now += 0.3

    monkeypatch.setitem(registry._loaded, "ticking", engines.ScriptedEngine("ticking", tick))
    calls = spy(monkeypatch, repository, "record", "finish")
    ShardRunner(repository, SETTINGS, "w/1", clock=clock).run(shard)
    assert calls == ["record", "record", "finish"]
    assert progress_of(repository).counts[Status.SOLVED] == 4


def test_finished_attempts_are_written_when_many_wait(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_runner, "WRITE_ATTEMPTS", 3)
    shard = submit(repository, [easy(i) for i in range(7)])
    calls = spy(monkeypatch, repository, "record", "finish")
    ShardRunner(repository, SETTINGS, "w/1", clock=Clock()).run(shard)
    assert calls == ["record", "record", "finish"]


def scripted(monkeypatch: pytest.MonkeyPatch, act: Callable[[Callable[[], bool]], None]) -> str:
    """Register an engine that gets the shard's heartbeat to play with; its name."""

    def run(graph: object, deadline: object) -> None:
        if engines.is_hard(graph):  # type: ignore[arg-type]
            act(deadline._beat)  # type: ignore[attr-defined]
        deadline._next_beat = 0.0  # type: ignore[attr-defined]
        deadline.check()  # type: ignore[attr-defined]

    monkeypatch.setitem(registry._loaded, "script", engines.ScriptedEngine("script", run))
    return "script"


def test_after_its_time_slice_a_shard_is_split(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()

    def act(beat: Callable[[], bool]) -> None:
        clock.now += SETTINGS.time_slice  # and nobody beats: the puzzle ends before the heart does

    engine = scripted(monkeypatch, act)
    shard = submit(repository, [marked(), easy(0), easy(1)], engine=engine)
    clock_then = clock.now
    ShardRunner(repository, dataclasses.replace(SETTINGS, pulse=5), "w/1", clock=clock).run(shard)
    assert clock.now > clock_then
    progress = progress_of(repository)
    assert (progress.counts[Status.SOLVED], progress.counts[Status.QUEUED], progress.shards_open) == (1, 2, 2)
    for bell in repository.due_bells(10):
        ShardRunner(repository, SETTINGS, "w/2").run(bell.shard)
    assert progress_of(repository).finished


def test_what_waits_behind_a_slow_puzzle_is_given_away(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    seen: list[tuple[int, int, int]] = []

    def act(beat: Callable[[], bool]) -> None:
        clock.now += SETTINGS.time_slice
        assert not beat()
        bells = repository.due_bells(10)  # the rest is for others while the slow one goes on
        assert len(bells) == 2  # each alone: this shard has been slow so far
        for bell in bells:
            ShardRunner(repository, SETTINGS, "w/2").run(bell.shard)
        progress = progress_of(repository)
        seen.append((progress.counts[Status.SOLVED], progress.counts[Status.QUEUED], progress.shards_leased))

    engine = scripted(monkeypatch, act)
    shard = submit(repository, [easy(0), marked(), easy(1), easy(2)], engine=engine)
    ShardRunner(repository, SETTINGS, "w/1", clock=clock).run(shard)
    assert seen == [(3, 1, 1)]
    assert progress_of(repository).finished
    assert progress_of(repository).counts[Status.SOLVED] == 4


def test_a_stopping_worker_writes_and_gives_back(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = False

    def act(beat: Callable[[], bool]) -> None:
        nonlocal stop
        stop = True

    engine = scripted(monkeypatch, act)
    shard = submit(repository, [easy(0), marked(), easy(1)], engine=engine)
    ShardRunner(repository, SETTINGS, "w/1", stopping=lambda: stop).run(shard)
    progress = progress_of(repository)
    assert (progress.counts[Status.SOLVED], progress.counts[Status.QUEUED]) == (1, 2)
    assert (progress.shards_open, progress.shards_leased) == (1, 0)
    assert repository.result(1, 1).termination is None  # given up, not timed out
    claim = repository.claim(shard, "w/2", 60.0)
    assert claim is not None
    assert not claim.careful  # it was released: nobody died


def test_a_cancelled_run_is_given_up(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()

    def act(beat: Callable[[], bool]) -> None:
        repository.cancel_run(1)
        clock.now += SETTINGS.pulse
        assert beat()

    engine = scripted(monkeypatch, act)
    shard = submit(repository, [easy(0), marked(), easy(1)], engine=engine)
    ShardRunner(repository, SETTINGS, "w/1", clock=clock).run(shard)
    repository.cancel_rows()
    progress = progress_of(repository)
    assert (progress.counts[Status.SOLVED], progress.counts[Status.CANCELLED]) == (1, 2)


def test_nothing_starts_when_the_total_budget_is_over(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()

    def act(beat: Callable[[], bool]) -> None:
        clock.now += 101.0
        assert not beat()  # what is in hand goes on

    engine = scripted(monkeypatch, act)
    shard = submit(repository, [easy(0), marked(), easy(1)], engine=engine, total_budget=100.0)
    calls = spy(monkeypatch, repository, "release", "finish")
    ShardRunner(repository, dataclasses.replace(SETTINGS, time_slice=1000), "w/1", clock=clock).run(shard)
    assert calls == ["release"]
    progress = progress_of(repository)
    assert (progress.counts[Status.SOLVED], progress.counts[Status.QUEUED], progress.shards_leased) == (2, 1, 0)


@pytest.mark.parametrize("during", ["a solve", "between"])
def test_who_lost_the_lease_writes_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, during: str
) -> None:
    clock = Clock()
    thieves: list[Claim] = []

    def act(beat: Callable[[], bool]) -> None:
        claim = repository.claim(1, "thief/1", 60.0, death=lambda _: "")
        assert claim is not None
        thieves.append(claim)
        if during == "a solve":
            clock.now += SETTINGS.pulse
            assert beat()  # the work is pointless now

    engine = scripted(monkeypatch, act)
    shard = submit(repository, [easy(0), marked(), easy(1)], engine=engine)
    ShardRunner(repository, SETTINGS, "w/1", clock=clock).run(shard)
    assert progress_of(repository).counts[Status.QUEUED] == 3
    assert not repository.extend(thieves[0], 60.0)  # theirs, untouched


def test_a_database_that_is_away_during_a_solve_ends_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()

    def away(*_: object) -> bool:
        raise ServiceUnreachable("away")

    def act(beat: Callable[[], bool]) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(repository, "extend", away)
            patch.setattr(repository, "shed", away)
            clock.now += SETTINGS.time_slice
            assert not beat()

    engine = scripted(monkeypatch, act)
    shard = submit(repository, [marked(), easy(0)], engine=engine)
    ShardRunner(repository, SETTINGS, "w/1", clock=clock).run(shard)
    assert repository.result(1, 0).status is Status.SOLVED


def test_a_broken_heartbeat_is_not_blamed_on_the_puzzle(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()

    def broken(*_: object) -> bool:
        raise ZeroDivisionError

    def act(beat: Callable[[], bool]) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(repository, "extend", broken)
            clock.now += SETTINGS.pulse
            assert beat()

    engine = scripted(monkeypatch, act)
    shard = submit(repository, [marked()], engine=engine)
    with pytest.raises(ZeroDivisionError):
        ShardRunner(repository, SETTINGS, "w/1", clock=clock).run(shard)
    assert progress_of(repository).counts[Status.QUEUED] == 1


def test_a_heartbeat_whose_answer_was_lost_costs_no_work_and_no_death(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    shed = repository.shed

    def lost(*arguments: Any) -> bool:
        shed(*arguments)
        raise ServiceUnreachable("the answer was lost")

    def act(beat: Callable[[], bool]) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(repository, "shed", lost)
            clock.now += SETTINGS.time_slice
            assert not beat()

    engine = scripted(monkeypatch, act)
    shard = submit(repository, [easy(0), marked(), easy(1)], engine=engine)
    ShardRunner(repository, SETTINGS, "w/1", clock=clock).run(shard)
    progress = progress_of(repository)
    assert (progress.counts[Status.SOLVED], progress.counts[Status.QUEUED], progress.shards_leased) == (1, 2, 0)
    claim = repository.claim(shard, "w/2", 60.0)
    assert claim is not None
    assert not claim.careful
    assert [work.pos for work in claim.work] == [1]


def test_an_engine_that_is_not_known_here_is_a_reason_not_a_loop(repository: Repository) -> None:
    shard = submit(repository, [easy(0)], engine="missing")
    ShardRunner(repository, SETTINGS, "w/1").run(shard)
    result = repository.result(1, 0)
    assert (result.verdict, result.termination) == (Verdict.UNKNOWN, Termination.CRASHED)
    assert "there is no engine 'missing'" in str(result.error)


def test_a_budget_that_runs_out_is_a_timeout(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    spinning = engines.ScriptedEngine("spin-marked", engines.spin_on_marked)
    monkeypatch.setitem(registry._loaded, spinning.name, spinning)
    shard = submit(repository, [easy(0), marked()], engine=spinning.name, budget=0.3)
    ShardRunner(repository, SETTINGS, "w/1").run(shard)
    assert repository.result(1, 0).status is Status.SOLVED
    result = repository.result(1, 1)
    assert (result.verdict, result.termination) == (Verdict.UNKNOWN, Termination.TIMEOUT)


def test_a_large_board_is_noted_before_it_is_tried(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_runner, "LONG_ISLANDS", 4)
    shard = submit(repository, [easy(0), marked()])
    calls = spy(monkeypatch, repository, "note", "record", "finish")
    ShardRunner(repository, SETTINGS, "w/1", clock=Clock()).run(shard)
    assert calls == ["record", "note", "finish"]  # what was finished is safe before the risk is taken


def test_a_large_board_that_has_ended_is_not_blamed_for_the_next_ones_death(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_runner, "LONG_ISLANDS", 4)
    shard = submit(repository, [marked(), easy(0)], engine="deadly")

    def die(graph: Graph, _: object) -> None:
        if graph.m == easy(0).graph.m:
            raise KeyboardInterrupt  # nothing is caught or written from here on

    monkeypatch.setitem(registry._loaded, "deadly", engines.ScriptedEngine("deadly", die))
    with pytest.raises(KeyboardInterrupt):
        ShardRunner(repository, SETTINGS, "w/1", clock=Clock()).run(shard)
    claim = repository.claim(shard, "w/2", 60.0, lambda owner: "")
    assert claim is not None
    assert [(work.pos, work.deaths) for work in claim.work] == [(1, 0)]


# ------------------------------------------------------------------------------------------------- the second engine


def judge(monkeypatch: pytest.MonkeyPatch, act: Callable[[Callable[[], bool]], None] = lambda beat: None) -> None:
    """Put an engine in the place of pysat's judge that gets the shard's heartbeat to play with."""

    def run(graph: object, deadline: object) -> None:
        act(deadline._beat)  # type: ignore[attr-defined]
        deadline._next_beat = 0.0  # type: ignore[attr-defined]
        deadline.check()  # type: ignore[attr-defined]

    monkeypatch.setitem(registry._loaded, "native", engines.ScriptedEngine("native", run))


def test_what_the_run_wants_confirmed_is_confirmed(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    judge(monkeypatch)
    shard = submit(repository, [apart(), marked()], engine="pysat", confirm=Confirm.AUTO)
    ShardRunner(repository, SETTINGS, "w/1").run(shard)
    found = [(result.status, result.engine, result.confirmed_by) for result in repository.results(1)]
    assert found == [(Status.INFEASIBLE, "pysat", "native"), (Status.SOLVED, "pysat", None)]


def test_unless_the_run_wants_it_nothing_is_confirmed(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    judge(monkeypatch)
    ShardRunner(repository, SETTINGS, "w/1").run(submit(repository, [apart()], engine="pysat"))
    result = repository.result(1, 0)
    assert (result.status, result.confirmed_by, result.confirm_ms) == (Status.INFEASIBLE, None, None)


def test_a_disagreement_is_a_row_with_both_verdicts(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    judge(monkeypatch)
    monkeypatch.setitem(registry._loaded, "liar", engines.Liar())
    shard = submit(repository, [easy(0), apart()], engine="liar", confirm=Confirm.AUTO)
    ShardRunner(repository, SETTINGS, "w/1").run(shard)
    wrong, right = repository.results(1)
    assert (wrong.status, wrong.verdict, wrong.values) == (Status.CRASHED, Verdict.UNKNOWN, None)
    assert wrong.error == "the engines disagree: liar says infeasible; native found the solution 2"
    assert (right.status, right.confirmed_by) == (Status.INFEASIBLE, "native")
    (record,) = caplog.records
    assert record.getMessage() == "engines disagree"
    assert (vars(record)["attempt"], vars(record)["error"]) == ("1:0", wrong.error)


def test_the_heart_beats_while_the_second_engine_works(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    seen: list[int] = []

    def act(beat: Callable[[], bool]) -> None:
        clock.now += SETTINGS.time_slice
        assert not beat()
        for bell in repository.due_bells(10):  # the rest is for others meanwhile
            ShardRunner(repository, SETTINGS, "w/2").run(bell.shard)
        seen.append(progress_of(repository).counts[Status.SOLVED])

    judge(monkeypatch, act)
    calls = spy(monkeypatch, repository, "shed")
    shard = submit(repository, [apart(), easy(0), easy(1)], engine="pysat", confirm=Confirm.AUTO)
    ShardRunner(repository, SETTINGS, "w/1", clock=clock).run(shard)
    assert (calls, seen) == (["shed"], [2])
    assert repository.result(1, 0).confirmed_by == "native"


def test_a_worker_that_stops_in_the_middle_keeps_the_verdict(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = False

    def act(beat: Callable[[], bool]) -> None:
        nonlocal stop
        stop = True

    judge(monkeypatch, act)
    shard = submit(repository, [apart(), easy(0)], engine="pysat", confirm=Confirm.AUTO)
    ShardRunner(repository, SETTINGS, "w/1", stopping=lambda: stop).run(shard)
    result = repository.result(1, 0)
    assert (result.status, result.confirmed_by) == (Status.INFEASIBLE, None)
    assert result.confirm_ms is not None
    assert repository.result(1, 1).status is Status.QUEUED


def test_after_a_death_the_first_engine_goes_alone(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a second engine that takes the process down each time would cost the verdict of the first."""
    asked: list[object] = []
    judge(monkeypatch, asked.append)
    submit(repository, [apart()], engine="pysat", confirm=Confirm.AUTO)
    claim = repository.claim(1, "w/1", 60.0)
    assert claim is not None
    assert [work.deaths for work in claim.work] == [0]
    repository.note(claim, 0)
    ShardRunner(repository, SETTINGS, "w/2", death=lambda owner: "" if owner == "w/1" else None).run(1)
    result = repository.result(1, 0)
    assert (result.status, result.confirmed_by, result.confirm_ms) == (Status.INFEASIBLE, None, None)
    assert asked == []


def test_a_puzzle_that_needs_too_much_memory_leaves_the_rest_to_others(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def eat(_: Callable[[], bool]) -> None:
        raise MemoryError

    shard = submit(repository, [easy(0), marked(), easy(1)], engine=scripted(monkeypatch, eat))
    settings = dataclasses.replace(SETTINGS, memory_limit=700)
    ShardRunner(repository, settings, "w/1", clock=Clock()).run(shard)
    done, poison, left = repository.results(1)
    assert (done.status, left.status) == (Status.SOLVED, Status.QUEUED)
    assert (poison.status, poison.error) == (Status.CRASHED, "out of memory: more than 700 MB")
    for bell in repository.due_bells(10):
        ShardRunner(repository, settings, "w/2", clock=Clock()).run(bell.shard)
    assert progress_of(repository).counts[Status.SOLVED] == 2


def test_a_heartbeat_without_memory_is_left_out(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()

    def beat(beat: Callable[[], bool]) -> None:
        clock.now += SETTINGS.pulse
        assert not beat()

    def fail(*_: object) -> bool:
        raise MemoryError

    monkeypatch.setattr(repository, "extend", fail)
    shard = submit(repository, [marked()], engine=scripted(monkeypatch, beat))
    ShardRunner(repository, SETTINGS, "w/1", clock=clock).run(shard)
    assert progress_of(repository).counts[Status.SOLVED] == 1


def test_the_alarm_is_set_during_a_solve_alone(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    def beat(beat: Callable[[], bool]) -> None:
        calls.append("beat")
        beat()

    monkeypatch.setattr(repository, "note", lambda *_: calls.append("note"))
    monkeypatch.setattr(shard_runner, "LONG_ISLANDS", 1)
    shard = submit(repository, [marked(), easy(0)], engine=scripted(monkeypatch, beat))
    ShardRunner(repository, SETTINGS, "w/1", alarm=calls.append, clock=Clock()).run(shard)
    lease = SETTINGS.lease
    assert calls == ["note", lease, "beat", lease, lease, 0, "note", lease, lease, 0]


def test_the_cause_of_a_death_is_told(repository: Repository) -> None:
    shard = submit(repository, [easy(0)])
    for _ in range(3):
        claim = repository.claim(shard, "w/1", 3600.0, lambda owner: "by fire")
        assert claim is not None
        repository.note(claim, 0)
    ShardRunner(repository, SETTINGS, "w/2", death=lambda owner: "by lightning").run(shard)
    error = repository.result(1, 0).error
    assert error == "the worker died 3 times while it solved this puzzle (the last time: by lightning)"
