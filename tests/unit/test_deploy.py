"""The files in deploy/, as far as they can be judged without Prometheus and Grafana."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from prometheus_client import CollectorRegistry, values

from kakehashi.worker.metrics import Exporter, Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SCRAPES: dict[str, Any] = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
PANELS: list[dict[str, Any]] = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))["panels"]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
PAGE = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")

EXPRESSIONS = [rule["expr"] for rule in RULES] + [target["expr"] for panel in PANELS for target in panel["targets"]]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, set[str]]]:
    """The labels of each metric that a worker shows, by the name of the family."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", os.environ.get("PROMETHEUS_MULTIPROC_DIR", ""))
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)
    metrics = Metrics(tmp_path, "supervisor")
    metrics.queued(0)
    exporter = Exporter("127.0.0.1:0", tmp_path, metrics, lambda: True)
    registry = CollectorRegistry()
    registry.register(exporter)
    found = {family.name: set[str]() for family in registry.collect()}
    for metric in vars(metrics).values():
        if hasattr(metric, "describe"):
            found[metric.describe()[0].name] = set(metric._labelnames)
    yield found
    exporter.close()


def named(text: str) -> dict[str, set[str]]:
    """The metrics that a text names, by family, with the labels that it asks for."""
    found: dict[str, set[str]] = {}
    for name, labels in re.findall(r"(kakehashi_\w+)(?:\{([^}]*)\})?", text):
        family = re.sub(r"_(total|bucket|sum|count|info)$", "", name)
        found.setdefault(family, set()).update(re.findall(r"(\w+)[!=]", labels))
    return found


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_ask_for_metrics_that_there_are(expression: str, shown: dict[str, set[str]]) -> None:
    assert expression.count("(") == expression.count(")")
    asked = named(expression)
    assert asked or "up{" in expression
    for family, labels in asked.items():
        assert labels <= shown[family]
    for grouped in re.findall(r"by \(([\w, ]+)\)", expression):
        assert set(grouped.split(", ")) <= set().union({"le"}, *(shown[family] for family in asked))


def test_the_page_explains_every_metric_and_no_other(shown: dict[str, set[str]]) -> None:
    table = PAGE.partition("\n## Metrics\n")[2].partition("\n## ")[0]
    names = "\n".join(re.findall(r"^\| `(kakehashi_.+?)` \|", table, re.MULTILINE))
    assert named(names) == shown


def test_the_page_says_what_to_do_about_every_alert() -> None:
    names = [rule["alert"] for rule in RULES]
    assert len(set(names)) == len(names)
    assert re.findall(r"^\| `(Kakehashi\w+)`", PAGE, re.MULTILINE) == names
    for rule in RULES:
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert rule["annotations"]["summary"].endswith(".")


def test_prometheus_looks_where_workers_are() -> None:
    (scrape,) = SCRAPES["scrape_configs"]
    (target,) = scrape["dns_sd_configs"]
    for name in target["names"]:
        assert COMPOSE[name]["environment"]["KAKEHASHI_METRICS"] == f"0.0.0.0:{target['port']}"
        assert "metrics" in COMPOSE[name]["build"]["args"]["EXTRAS"].split(",")
    assert f'job="{scrape["job_name"]}"' in RULES[0]["expr"]
    mounted = dict(volume.split(":")[:2] for volume in COMPOSE["prometheus"]["volumes"])
    assert set(SCRAPES["rule_files"]) < set(mounted.values())
    assert [name for name in mounted if name.startswith("./") and not (ROOT / name).is_file()] == []


def test_panels_stand_beside_each_other() -> None:
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in PANELS]
    assert len(set(places)) == len(places)
    assert all(place["w"] == 12 and place["h"] == 8 for place in (panel["gridPos"] for panel in PANELS))
