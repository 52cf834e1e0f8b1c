"""The dashboard as Grafana will read it; no Grafana is at hand here to try it."""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from tests.heavy.watch.conftest import DASHBOARD, PANELS

GRID_WIDTH = 24
UNITS = {"none", "short", "s", "ops", "reqps", "percentunit"}
each_panel = pytest.mark.parametrize("panel", PANELS, ids=[panel["title"] for panel in PANELS])


def named(value: Any, key: str) -> Iterator[Any]:
    """All that stands under `key`, anywhere within."""
    if isinstance(value, dict):
        yield from (inner for name, inner in value.items() if name == key)
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from named(inner, key)


def test_ids_and_titles_are_unique() -> None:
    for key in ("id", "title"):
        values = [panel[key] for panel in DASHBOARD["panels"]]
        assert len(values) == len(set(values))


def test_panels_lie_within_the_grid_and_not_upon_each_other() -> None:
    cells = [
        {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        for at in (panel["gridPos"] for panel in DASHBOARD["panels"])
    ]
    assert all(0 <= x < GRID_WIDTH for panel in cells for x, _ in panel)
    assert all(not (one & other) for one, other in combinations(cells, 2))


def test_the_data_source_is_the_one_that_is_chosen() -> None:
    (chosen,) = [each for each in DASHBOARD["templating"]["list"] if each["type"] == "datasource"]
    assert chosen["query"] == "prometheus"
    sources = list(named(DASHBOARD, "datasource"))
    assert sources
    assert all(source == {"type": "prometheus", "uid": f"${{{chosen['name']}}}"} for source in sources)


def test_namespace_and_job_are_those_that_have_showcheck() -> None:
    """A namespace need not be known: all of them (`.*`) is also none. All jobs are all that have Showcheck."""
    variables = {each["name"]: each for each in DASHBOARD["templating"]["list"]}
    assert variables.keys() == {"datasource", "namespace", "job"}
    for name in ("namespace", "job"):
        assert re.match(rf"label_values\(showcheck_\w+.*, {name}\)$", variables[name]["query"]["query"])
        assert variables[name]["includeAll"]
    assert variables["namespace"]["allValue"] == ".*"
    assert "allValue" not in variables["job"]


@each_panel
def test_a_panel_says_what_it_shows_and_in_which_unit(panel: dict[str, Any]) -> None:
    assert panel["description"].endswith(".")
    assert panel["fieldConfig"]["defaults"]["unit"] in UNITS


@each_panel
def test_a_panel_asks_for_something_and_names_what_comes(panel: dict[str, Any]) -> None:
    targets = panel["targets"]
    assert targets
    assert all(target["expr"] and target["legendFormat"] for target in targets)
    for key in ("refId", "legendFormat"):
        assert len({target[key] for target in targets}) == len(targets)


@each_panel
def test_every_series_is_of_the_chosen_installations(panel: dict[str, Any]) -> None:
    """kube-state-metrics knows no job, but the name of the container."""
    for target in panel["targets"]:
        series = re.findall(r"(\w+)\{([^}]*)\}", target["expr"])
        assert series
        for metric, labels in series:
            assert 'namespace=~"$namespace"' in labels
            assert ('container="showcheck"' if metric.startswith("kube_") else 'job=~"$job"') in labels
