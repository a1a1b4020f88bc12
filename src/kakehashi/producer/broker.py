"""The broker carries bells and nothing else: the Celery application, and a thin client that rings and counts.

Every setting of Celery that differs from its default has its reason beside it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from celery import Celery
from kombu.entity import Exchange, Queue
from kombu.exceptions import OperationalError

from kakehashi.errors import ServiceUnreachable
from kakehashi.producer.address import celery_address
from kakehashi.producer.broker_state import BrokerState, look
from kakehashi.settings import Settings, without_password

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kakehashi.storage.records import Bell

BELL_TASK = "kakehashi.bell"
"""The name of the one task. A producer knows the name alone, so it never imports what the worker imports."""

ANSWER_SECONDS = 10.0
"""How long a broker may take to answer before it counts as away."""

_log = logging.getLogger(__name__)


def make_app(settings: Settings) -> Celery:
    """The Celery application that producers and workers share."""
    url, tls = celery_address(settings.broker)
    app = Celery("kakehashi", broker=url, set_as_current=False)
    app.conf.update(
        broker_use_ssl=tls,
        # One queue, declared here; a name that is not declared is an error, not a new queue that nobody reads.
        task_queues=[Queue(settings.queue, Exchange(settings.queue, type="direct"), routing_key=settings.queue)],
        task_default_queue=settings.queue,
        task_default_exchange=settings.queue,
        task_default_routing_key=settings.queue,
        task_create_missing_queues=False,
        # A bell is acknowledged when its shard was looked at: a worker that dies gives it back. Safe only because the
        # shard counts its own tries (celery#1628, celery#9082).
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_acks_on_failure=True,
        # What the hard limit kills is a lost worker like any other: its bell has the shard taken over at once.
        task_acks_on_timeout=False,
        # No hoarding: a process takes one bell at a time (celery#1933).
        worker_prefetch_multiplier=1,
        # The database is the truth: no results, no result backend (celery#4450, celery#104).
        task_ignore_result=True,
        result_backend=None,
        # A bell that is out for longer than this is handed out again (celery#5935), so it has to stand above the
        # longest hard limit; Settings refuses anything else.
        # And without a timeout a Redis that is frozen, or whose cable was cut, is waited for, for ever.
        broker_transport_options={
            "visibility_timeout": settings.visibility_timeout,
            "socket_timeout": ANSWER_SECONDS,
            "socket_keepalive": True,
        },
        # The net below the budget, for a bell that was sent without its own. No soft limit: it cannot reach a SAT call.
        task_time_limit=settings.hard_limit(settings.max_budget),
        # A message names a shard; nothing else may come in.
        accept_content=["json"],
        task_serializer="json",
        # Processes are replaced, so that memory which leaks anywhere is given back.
        worker_max_tasks_per_child=settings.max_tasks_per_child,
        worker_max_memory_per_child=settings.max_memory_per_child * 1024,
        # A running shard does not need the broker.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        # Time for the shards in hand to be written and released when the worker is told to stop at once.
        worker_soft_shutdown_timeout=5.0,
        # Logging belongs to the application.
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        # A broker that is away at start is waited for, as one that goes away later is.
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_connection_timeout=4.0,
        # RabbitMQ closes the channel over a bell that a worker keeps for longer than its `consumer_timeout`. That ends
        # the channel, not the worker, which would never come to the end of a puzzle that takes so long.
        broker_channel_error_retry=True,
        # Flower listens to these; they cost one small message a shard, not a puzzle.
        worker_send_task_events=True,
        task_send_sent_event=False,
    )
    return app


class Broker:
    """Rings bells and tells how many wait.

    Raises:
        ServiceUnreachable: from every method, when the broker does not answer.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._app = make_app(settings)
        # RabbitMQ's words for a socket's timeout. Not for workers, whose connections wait for bells.
        timeouts = {"read_timeout": ANSWER_SECONDS, "write_timeout": ANSWER_SECONDS}
        self._connection = self._app.connection_for_write(transport_options=timeouts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the connection back."""
        self._connection.release()

    def depth(self) -> int:
        """How many bells wait in the queue (those that a worker holds do not count)."""
        try:
            self._connect()
            with self._connection.channel() as channel:
                declared = channel.queue_declare(
                    queue=self._settings.queue, durable=True, exclusive=False, auto_delete=False
                )
                return int(declared.message_count)
        except self._errors as error:
            raise self._unreachable(error) from error

    def state(self) -> BrokerState:
        """What state the broker is in."""
        depth = self.depth()
        try:
            return look(self._connection, depth)
        except self._errors as error:
            raise self._unreachable(error) from error

    def ask(self, question: str, wait: float, heard: Callable[[dict[str, Any]], None]) -> None:
        """Put a question to all workers; for `wait` seconds, `heard` gets each answer as it comes."""
        try:
            self._connect()
            self._app.control.broadcast(
                question, reply=True, timeout=wait, callback=heard, connection=self._connection
            )  # fmt: skip
        except self._errors as error:
            raise self._unreachable(error) from error

    def ring(self, bells: Iterable[Bell]) -> None:
        """Send one message for each bell, with the hard limit that its budget asks for."""
        try:
            self._connect()
            with self._app.amqp.Producer(self._connection) as producer:
                for bell in bells:
                    self._app.send_task(
                        BELL_TASK,
                        kwargs={"shard": bell.shard},
                        time_limit=self._settings.hard_limit(bell.budget),
                        producer=producer,
                        retry=False,
                    )
        except self._errors as error:
            raise self._unreachable(error) from error

    def _connect(self) -> None:
        self._connection.ensure_connection(max_retries=1, interval_start=0.1, timeout=4.0)

    @property
    def _errors(self) -> tuple[type[BaseException], ...]:
        return (OperationalError, OSError, *self._connection.connection_errors, *self._connection.channel_errors)

    def _unreachable(self, error: BaseException) -> ServiceUnreachable:
        self._connection.release()  # the next call begins with a fresh connection
        url = without_password(self._settings.broker)
        reason = str(error) or "timed out"
        return ServiceUnreachable(
            f"the broker {url} does not answer ({reason}); start one (`valkey-server`, `redis-server`, or "
            "`docker compose up redis`), set KAKEHASHI_BROKER, or use `kakehashi run`, which brings its own"
        )
