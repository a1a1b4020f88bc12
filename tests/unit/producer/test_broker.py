"""Each setting of Celery that the design names; what they are for stands beside them in the code."""

from __future__ import annotations

import pytest
from kombu.exceptions import OperationalError

from kakehashi.errors import ServiceUnreachable
from kakehashi.producer.broker import BELL_TASK, Broker, make_app
from kakehashi.settings import Settings
from kakehashi.storage import Bell

SETTINGS = Settings(broker="redis://:secret@localhost:1/0", queue="bells", max_budget=60, visibility_timeout=250)


def test_settings_that_keep_a_batch_whole() -> None:
    conf = make_app(SETTINGS).conf
    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost
    assert conf.worker_prefetch_multiplier == 1
    assert conf.task_ignore_result
    assert conf.result_backend is None
    assert not conf.worker_cancel_long_running_tasks_on_connection_loss
    assert conf.broker_channel_error_retry
    assert not conf.worker_hijack_root_logger
    assert conf.broker_transport_options["visibility_timeout"] == 250
    assert conf.task_soft_time_limit is None
    assert conf.task_time_limit == SETTINGS.hard_limit(60) == 3 + 2 * 60 + 60 + 30
    assert conf.task_time_limit < conf.broker_transport_options["visibility_timeout"]
    assert conf.accept_content == ["json"]
    assert conf.task_serializer == "json"
    assert conf.worker_max_tasks_per_child
    assert conf.worker_max_memory_per_child == 1024 * 1024
    assert conf.worker_soft_shutdown_timeout > 0


def test_there_is_one_queue_and_no_other_is_made() -> None:
    app = make_app(SETTINGS)
    assert list(app.amqp.queues) == ["bells"]
    assert not app.conf.task_create_missing_queues
    with pytest.raises(Exception, match="other"):
        app.send_task(BELL_TASK, queue="other")


def test_a_broker_that_is_away_is_named_without_its_password() -> None:
    broker = Broker(SETTINGS)
    for call in (broker.depth, lambda: broker.ring([Bell(1, 1.0)])):
        with pytest.raises(
            ServiceUnreachable, match=r"the broker redis://:\*\*\*@localhost:1/0 does not answer"
        ) as caught:
            call()
        assert "secret" not in str(caught.value)
        assert "kakehashi run" in str(caught.value)
        assert isinstance(caught.value.__cause__, OperationalError)
