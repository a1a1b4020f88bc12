from __future__ import annotations

from pathlib import Path

import pytest

from kakehashi.errors import UsageError
from kakehashi.puzzle import Confirm
from kakehashi.settings import LogFormat, Settings, duration, load, without_password


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10", 10.0),
        ("10s", 10.0),
        ("500ms", 0.5),
        ("2m", 120.0),
        ("1h", 3600.0),
        (" 1.5 S ", 1.5),
        (".5s", 0.5),
        (3, 3.0),
    ],
)
def test_durations(text: str | int, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0s", "-1s", "ten", "10 seconds", "s", "1e3", "nan"])
def test_what_is_no_duration_says_how_to_write_one(text: str) -> None:
    with pytest.raises(UsageError, match="such as 500ms or 10s"):
        duration(text)


def test_flag_beats_environment_beats_file_beats_default(tmp_path: Path) -> None:
    (tmp_path / "kakehashi.toml").write_text('budget = "3s"\nlease = "30s"\nqueue = "mine"\n')
    environ = {"KAKEHASHI_BUDGET": "4s", "KAKEHASHI_LEASE": "40s"}
    loaded = load({"budget": "5s", "queue": None}, environ, tmp_path)
    assert (loaded.settings.budget, loaded.sources["budget"]) == (5.0, "flag")
    assert (loaded.settings.lease, loaded.sources["lease"]) == (40.0, "environment")
    assert (loaded.settings.queue, loaded.sources["queue"]) == ("mine", str(tmp_path / "kakehashi.toml"))
    assert (loaded.settings.engine, loaded.sources["engine"]) == ("auto", "default")


def test_a_wrong_value_names_its_source(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"setting budget \(KAKEHASHI_BUDGET\): 'soon' is no duration"):
        load({}, {"KAKEHASHI_BUDGET": "soon"}, tmp_path)
    with pytest.raises(UsageError, match=r"setting concurrency \(flag\): '0' is no positive whole number"):
        load({"concurrency": "0"}, {}, tmp_path)


def test_an_unknown_key_of_the_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "kakehashi.toml").write_text("budgte = 3\n")
    with pytest.raises(UsageError, match="unknown setting 'budgte'; known are db, broker"):
        load({}, {}, tmp_path)


def test_a_file_that_is_no_toml_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "kakehashi.toml").write_text("budget is ten\n")
    with pytest.raises(UsageError, match=r"kakehashi\.toml cannot be read"):
        load({}, {}, tmp_path)


def test_the_visibility_timeout_has_to_stand_above_the_longest_hard_limit() -> None:
    Settings(max_budget=600, time_slice=3, patience=60, visibility_timeout=1294)
    with pytest.raises(UsageError, match="visibility_timeout"):
        Settings(max_budget=600, time_slice=3, patience=60, visibility_timeout=1293)


def test_the_hard_limit_leaves_time_for_a_second_engine() -> None:
    settings = Settings(time_slice=3, patience=60)
    assert settings.hard_limit(100) - settings.hard_limit(0) == 200
    assert Settings(hard_limit_margin=5).hard_limit(0) == settings.hard_limit(0) - 25


def test_what_is_confirmed_is_one_of_three_words(tmp_path: Path) -> None:
    assert load({}, {}, tmp_path).settings.confirm is Confirm.AUTO
    assert load({}, {"KAKEHASHI_CONFIRM": "all"}, tmp_path).settings.confirm is Confirm.ALL
    assert load({"confirm": Confirm.NONE}, {"KAKEHASHI_CONFIRM": "all"}, tmp_path).settings.confirm is Confirm.NONE
    with pytest.raises(
        UsageError, match=r"setting confirm \(KAKEHASHI_CONFIRM\): 'some' is not one of none, auto, all"
    ):
        load({}, {"KAKEHASHI_CONFIRM": "some"}, tmp_path)


def test_a_lease_has_to_outlast_three_pulses() -> None:
    with pytest.raises(UsageError, match="three pulses"):
        Settings(lease=5, pulse=2)


def test_water_marks_have_an_order() -> None:
    with pytest.raises(UsageError, match="low_water"):
        Settings(low_water=300)


def test_a_limit_of_memory_has_to_let_a_process_live() -> None:
    assert load({"memory_limit": "0"}, {}).settings.memory_limit == 0
    assert load({"memory_limit": 256}, {}).settings.memory_limit == 256
    with pytest.raises(UsageError, match=r"memory_limit \(8 MB\) must be at least 256, or 0"):
        load({"memory_limit": "8"}, {})
    with pytest.raises(UsageError, match="'-1' is no positive whole number"):
        load({"memory_limit": "-1"}, {})


def test_a_child_process_gets_the_same_settings(tmp_path: Path) -> None:
    settings = load(
        {"budget": "7s", "confirm": "all", "engines": "a.b, c", "db": "x.db", "concurrency": 3}, {}, tmp_path
    ).settings
    assert settings.engines == ("a.b", "c")
    assert load({}, settings.environ(), tmp_path).settings == settings


def test_the_file_of_a_database_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (
        "x.db",
        "sqlite:///x.db",
        "sqlite+pysqlite:///x.db",
        str(tmp_path / "x.db"),
        f"sqlite:///{tmp_path}/x.db",
    ):
        assert load({"db": text}, {}).settings.db == str(tmp_path / "x.db")
    assert load({}, {}).settings.db == str(tmp_path / "kakehashi.db")
    assert load({"db": "postgresql://host/x"}, {}).settings.db == "postgresql://host/x"


@pytest.mark.parametrize("text", [":memory:", "sqlite://", "sqlite:///:memory:"])
def test_a_database_in_memory_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="in memory"):
        load({"db": text}, {})


def test_passwords_are_hidden() -> None:
    assert without_password("redis://:secret@host/0") == "redis://:***@host/0"
    assert without_password("postgresql://me:se:cret@host/db") == "postgresql://me:***@host/db"
    assert without_password("redis://:se/cr@et@host/0") == "redis://:***@host/0"
    assert without_password("postgresql://host/db?user=me&password=secret&x=1") == (
        "postgresql://host/db?user=me&password=***&x=1"
    )
    assert without_password("redis://host:6379/0") == "redis://host:6379/0"
    assert without_password("/a/file.db") == "/a/file.db"


@pytest.mark.parametrize(
    "text", ["9464", "host", "host:", "host:port", "host:70000", ":9464", "http://host:1", "a:1/b"]
)
def test_an_address_to_listen_on_has_a_host_and_a_port(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected HOST:PORT, such as 127\.0\.0\.1:9464"):
        load({"metrics": text}, {})
    assert load({"metrics": "[::1]:9464"}, {}).settings.metrics == "[::1]:9464"


def test_the_format_of_the_log_is_one_that_there_is() -> None:
    assert load({}, {"KAKEHASHI_LOG_FORMAT": "json"}).settings.log_format is LogFormat.JSON
    with pytest.raises(UsageError, match="'xml' is not one of text, json"):
        load({}, {"KAKEHASHI_LOG_FORMAT": "xml"})
