"""docker-compose.yml, Dockerfile and .dockerignore, as far as they can be judged without a Docker engine."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kakehashi.settings import PREFIX, SETTING_NAMES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = sorted(name for name, service in SERVICES.items() if "build" in service)
LASTING = sorted(SERVICES.keys() - {"migrate", "cli"})

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
KAKEHASHI = Path(sys.executable).parent / "kakehashi"


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile in order, continued lines joined, comments left out."""
    lines = "\n".join(line for line in DOCKERFILE.splitlines() if not line.startswith("#"))
    joined = re.sub(r"\\\n\s*", "", lines)
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def final_stage() -> list[tuple[str, str]]:
    """The instructions that make the image which is kept."""
    all_ = instructions()
    last = max(i for i, (word, _) in enumerate(all_) if word == "FROM")
    return all_[last:]


class TestServices:
    def test_are_those_of_the_fleet(self) -> None:
        assert SERVICES.keys() == {"redis", "postgres", "migrate", "worker", "flower", "prometheus", "cli"}

    @pytest.mark.parametrize("name", SERVICES)
    def test_wait_for_services_that_exist_in_a_state_that_they_can_reach(self, name: str) -> None:
        for other, wanted in SERVICES[name].get("depends_on", {}).items():
            assert other in SERVICES
            if wanted["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[other]
            else:
                assert wanted["condition"] == "service_completed_successfully"
                assert SERVICES[other]["restart"] == "no"

    @pytest.mark.parametrize("name", LASTING)
    def test_that_last_have_a_health_check_and_come_back(self, name: str) -> None:
        assert SERVICES[name]["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}
        assert SERVICES[name]["restart"] == "unless-stopped"

    @pytest.mark.parametrize("name", OURS)
    def test_of_ours_have_few_rights(self, name: str) -> None:
        service = SERVICES[name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert not service.get("privileged")
        assert service.get("user") not in {"root", "0", 0}

    def test_workers_scale(self) -> None:
        worker = SERVICES["worker"]
        assert not {"container_name", "ports", "hostname", "volumes"} & worker.keys()
        waits = {name: wanted["condition"] for name, wanted in worker["depends_on"].items()}
        assert waits == {
            "redis": "service_healthy",
            "postgres": "service_healthy",
            "migrate": "service_completed_successfully",
        }

    def test_workers_have_the_time_to_write_what_they_hold(self) -> None:
        from kakehashi.worker.supervisor import WARM_SECONDS

        grace = SERVICES["worker"]["stop_grace_period"]
        assert grace.endswith("s")
        assert int(grace.removesuffix("s")) >= WARM_SECONDS + 5

    def test_images_are_named_with_a_version(self) -> None:
        for service in SERVICES.values():
            assert re.search(r":[\w.-]+$", service["image"])
            assert not service["image"].endswith(":latest")

    def test_publish_nothing_but_the_monitoring_pages_on_this_machine(self) -> None:
        published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
        assert published.keys() == {"flower", "prometheus"}
        assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports)


class TestVolumes:
    def test_are_named_and_all_used(self) -> None:
        mounted = {
            volume.partition(":")[0]
            for service in SERVICES.values()
            for volume in service.get("volumes", ())
            if re.match(r"[\w-]+:", volume)
        }
        assert mounted == COMPOSE["volumes"].keys() == {"redis-data", "postgres-data", "prometheus-data"}

    def test_postgres_keeps_its_data_where_version_18_puts_it(self) -> None:
        assert SERVICES["postgres"]["image"].startswith("postgres:18")
        assert SERVICES["postgres"]["volumes"] == ["postgres-data:/var/lib/postgresql"]


class TestSecrets:
    def test_no_password_is_written_down(self) -> None:
        for name, service in SERVICES.items():
            for variable, value in service.get("environment", {}).items():
                if "PASS" in variable:
                    assert re.fullmatch(r"\$\{\w+:\?.+\}", value), f"{name}: {variable} must come from outside"
        assert not re.search(r"://[^\s/]*:[^\s/]*@", TEXT), "an address with a password"

    def test_the_file_that_holds_it_is_kept_out(self) -> None:
        assert "/.env" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
        assert (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()[1] == "*"


class TestSettings:
    @pytest.mark.parametrize("name", OURS)
    def test_are_those_that_kakehashi_knows(self, name: str) -> None:
        known = {PREFIX + setting.upper() for setting in SETTING_NAMES}
        variables = set(SERVICES[name]["environment"])
        assert {"KAKEHASHI_DB", "KAKEHASHI_BROKER"} <= variables
        assert variables - known == {"PGPASSWORD"}  # the database's client library knows that one

    def test_name_the_services(self) -> None:
        environment = SERVICES["worker"]["environment"]
        assert "@postgres:" in environment["KAKEHASHI_DB"]
        assert "//redis:" in environment["KAKEHASHI_BROKER"]

    def test_the_database_is_the_one_that_postgres_makes(self) -> None:
        made = SERVICES["postgres"]["environment"]
        address = f"postgresql://{made['POSTGRES_USER']}@postgres:5432/{made['POSTGRES_DB']}"
        assert SERVICES["worker"]["environment"]["KAKEHASHI_DB"] == address


class TestCommands:
    @staticmethod
    def examples() -> list[list[str]]:
        shown = re.findall(r"^#\s+docker compose run --rm cli (.+?)(?:\s{2,}#.*)?$", TEXT, re.MULTILINE)
        return [shlex.split(line) for line in shown]

    @pytest.mark.parametrize(
        "arguments",
        [
            *(SERVICES[name]["command"] for name in OURS if "entrypoint" not in SERVICES[name]),
            *examples(),
        ],
        ids=" ".join,
    )
    def test_are_understood(self, arguments: list[str], tmp_path: Path) -> None:
        # `--help` at the end: the options before it are parsed, an unknown one is an error, and nothing is done.
        done = subprocess.run(
            [KAKEHASHI, *arguments, "--help"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert arguments[-1].startswith(("/", "first")) or arguments[0] in done.stdout

    def test_celery_finds_the_application(self, tmp_path: Path) -> None:
        check = SERVICES["worker"]["healthcheck"]["test"][1]
        assert check.startswith("celery -A kakehashi.worker.app inspect ping")
        assert SERVICES["flower"]["command"][:3] == ["-A", "kakehashi.worker.app", "flower"]
        environment = SERVICES["worker"]["environment"] | {"KAKEHASHI_CONCURRENCY": "2", "PGPASSWORD": "none"}
        code = (
            "from celery.app.utils import find_app; app = find_app('kakehashi.worker.app'); print(app.conf.broker_url)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.strip() == environment["KAKEHASHI_BROKER"], done.stderr


class TestImage:
    def test_is_built_in_two_stages_from_one_slim_base(self) -> None:
        bases = [rest.split()[0] for word, rest in instructions() if word == "FROM"]
        assert bases == ["python:${PYTHON}-slim"] * 2

    def test_runs_as_nobody_special(self) -> None:
        users = [rest for word, rest in final_stage() if word == "USER"]
        assert users
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1])

    def test_is_the_program(self) -> None:
        assert ("ENTRYPOINT", '["kakehashi"]') in final_stage()
        assert "postgres" in dict(part.split("=") for word, part in instructions() if word == "ARG" and "=" in part)[
            "EXTRAS"
        ].split(",")

    def test_has_the_pinned_versions_and_no_development_tools(self) -> None:
        assert "--constraint constraints.txt" in DOCKERFILE
        assert "--group" not in DOCKERFILE

    def test_all_that_is_copied_is_let_in(self) -> None:
        lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        let_in = {line.removeprefix("!") for line in lines if line.startswith("!")}
        copied = {
            name.rstrip("/")
            for word, rest in instructions()
            if word == "COPY" and not rest.startswith("--from")
            for name in rest.split()[:-1]
        }
        assert copied == let_in
        assert [name for name in copied if not (ROOT / name).exists()] == []

    @pytest.mark.parametrize("name", OURS)
    def test_extras_exist(self, name: str) -> None:
        import importlib.metadata

        known = set(importlib.metadata.metadata("kakehashi").get_all("Provides-Extra") or ())
        assert set(SERVICES[name]["build"]["args"]["EXTRAS"].split(",")) <= known
