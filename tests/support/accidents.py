"""What can happen to a process at the border to its database: it dies, the connection breaks, an answer is lost."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from kakehashi.errors import ServiceUnreachable
from kakehashi.storage import Repository
from kakehashi.storage.database import _PassingFault

if TYPE_CHECKING:
    from collections.abc import Callable


class Died(BaseException):
    """The process is gone: nothing within it may catch this and go on."""


class Kind(Enum):
    """What happens around one transaction."""

    NONE = "nothing"
    DIES_BEFORE = "the process dies before the commit"
    DIES_AFTER = "the process dies after the commit, before it hears of it"
    BREAKS = "the connection breaks before the commit, and the call is tried again"
    LOST = "the answer to the commit is lost, and the call is tried again"
    AWAY = "the answer to the commit is lost, and the database stays away for longer than anybody waits"
    DELAYED = "others come first"


@dataclass(frozen=True)
class Accident:
    """What happens to which transaction of a call, counted from 0, and what others do at that moment."""

    kind: Kind = Kind.NONE
    transaction: int = 0
    meanwhile: str = ""


class Wire:
    """Stands between a repository and its database, where accidents happen.

    Attributes:
        struck: whether the last one did happen: a call may have ended before.
    """

    def __init__(self, repository: Repository) -> None:
        self._once = repository._db._once
        self._next = Accident()
        self._others: Callable[[str], None] = lambda _: None
        self.struck = False
        vars(repository._db)["_once"] = self

    def expect(self, accident: Accident, others: Callable[[str], None] = lambda _: None) -> None:
        """Let this happen to the next call; `others` gets its `meanwhile`."""
        self._next, self._others, self.struck = accident, others, False

    def calm(self) -> None:
        """Let nothing happen, not even what was expected."""
        self._next = Accident()

    def __call__(self, engine: Any, work: Callable[[Any], Any]) -> Any:
        accident, kind = self._next, self._next.kind
        if kind is Kind.NONE:
            return self._once(engine, work)
        if accident.transaction:
            self._next = Accident(kind, accident.transaction - 1, accident.meanwhile)
            return self._once(engine, work)
        self._next = Accident()
        if kind in (Kind.DIES_BEFORE, Kind.BREAKS):
            with contextlib.suppress(Died):
                self._once(engine, lambda connection: _cut(work(connection)))
        elif kind is not Kind.DELAYED:
            self._once(engine, work)
        self.struck = True
        self._others(accident.meanwhile)
        if kind is Kind.DELAYED:
            return self._once(engine, work)
        if kind in (Kind.DIES_BEFORE, Kind.DIES_AFTER):
            raise Died
        gone = ServiceUnreachable("the database does not answer")
        raise gone if kind is Kind.AWAY else _PassingFault(gone)


def _cut(_: Any) -> None:
    raise Died


class Process:
    """A process with a repository of its own. When it dies, another one comes in its place.

    Attributes:
        owner: the name of the process that lives now.
        dead: the names of those that died.
    """

    def __init__(self, url: str, name: str) -> None:
        self.repository = Repository(url, patience=10.0)
        self.wire = Wire(self.repository)
        self._name = name
        self.dead: set[str] = set()

    @property
    def owner(self) -> str:
        """The name under which it claims."""
        return f"{self._name}/{len(self.dead)}"

    def death(self, owner: str) -> str | None:
        """What a process knows of the death of another with this name: nothing, unless it came in its place."""
        return "" if owner in self.dead else None

    def die(self) -> None:
        """The process ends, with whatever it had in hand."""
        self.dead.add(self.owner)
