"""A virtual walk under foreign labels: named by how its markers move, refused where nobody walks, never by labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import biomech_id as bid
from benchmarks.studies.foreign_walks import named_in, template_of, write_template
from biomech_id.cli.app import app
from biomech_id.markersets import load_markerset
from biomech_id.markersets.marker_set import parse_markerset
from biomech_id.markersets.walking import (
    LEAVES,
    TREE,
    WalkShape,
    name_markers,
    name_walk,
    shipped_template,
    walk_shape,
)  # fmt: skip
from biomech_id.sample.c3d import write_c3d
from biomech_id.trial import Markers, Trial


@pytest.fixture(scope="module")
def walk() -> Trial:
    return bid.virtual_subject(noise_m=0.0005, analog_ratio=1).walk().trial


def foreign(trial: Trial) -> tuple[Trial, dict[str, str]]:
    """The walk under labels that say nothing, and what they were."""
    markers = trial.markers
    words = {name: f"q{(7 * number) % 101}" for number, name in enumerate(markers.names)}
    renamed = Markers(tuple(words.values()), markers.position_m, markers.rate_hz)
    return replace(trial, markers=renamed), words


def shape_of(trial: Trial) -> WalkShape:
    shape = walk_shape(trial.markers.names, trial.markers.position_m, trial.markers.rate_hz)
    assert shape is not None
    return shape


def test_a_walk_is_named_by_how_its_markers_move(walk: Trial) -> None:
    renamed, words = foreign(walk)
    shape, names = name_markers(renamed.markers.names, renamed.markers.position_m, renamed.markers.rate_hz)
    assert shape is not None
    assert names is not None
    known = named_in(walk.markers.names, load_markerset("plug-in-gait").roles)
    offered = names.offered()
    assert {("L", role) for role in TREE[:3]} <= offered.keys()
    assert {key: label for key, label in offered.items() if key in known} == {
        key: words[known[key]] for key in offered if key in known
    }


def test_nobody_who_stands_is_named(walk: Trial) -> None:
    static = bid.virtual_subject(analog_ratio=1).static().trial
    assert name_markers(static.markers.names, static.markers.position_m, static.markers.rate_hz) == (None, None)
    # A body whose markers are somewhere else moves like nobody: nothing is named.
    shuffled = np.random.default_rng(3).normal(0.0, 0.4, (1, len(walk.markers.names), 3))
    strange = walk.markers.with_positions(walk.markers.position_m + shuffled)
    names = name_markers(strange.names, strange.position_m, strange.rate_hz)[1]
    assert names is not None
    assert (dict(names.labels), names.cost > 100.0) == ({}, True)


def test_the_reading_is_the_cheapest_and_its_margin_what_another_one_costs(walk: Trial) -> None:
    """Without a marker that has a name the best reading is worse by its margin, at least."""
    shape = shape_of(walk)
    names = name_walk(shape)
    for key in (("L", "lateral_epicondyle"), ("R", "lateral_malleolus")):
        kept = [i for i, name in enumerate(shape.names) if name != names.labels[key]]
        fewer = WalkShape(
            tuple(shape.names[i] for i in kept), shape.vector_m[np.ix_(kept, kept)], shape.spread[np.ix_(kept, kept)],
            shape.height_m[kept], shape.fore_aft_m[kept],
        )  # fmt: skip
        assert name_walk(fewer).cost >= names.cost + 0.99 * min(names.margin[key], 50.0)


def test_a_template_is_written_and_read(tmp_path: Path, walk: Trial) -> None:
    own = template_of([(shape_of(walk), named_in(walk.markers.names, load_markerset("plug-in-gait").roles))])
    assert own["asis", ""].median[0] == pytest.approx(1.0)
    lines = write_template(own, tmp_path / "own.csv") or (tmp_path / "own.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(own) + 1
    shipped = shipped_template()
    assert {child for child, _ in shipped} == {*TREE, *LEAVES}
    assert shipped["lateral_epicondyle", "asis"].median[2] == pytest.approx(-0.48, abs=0.06)


def test_check_and_markerset_ask_and_nothing_is_analysed_unasked(tmp_path: Path) -> None:
    folder = tmp_path / "anna"
    folder.mkdir()
    sample = bid.virtual_subject(noise_m=0.0005, analog_ratio=1).walk()
    renamed, words = foreign(sample.trial)
    file = write_c3d(replace(sample, trial=renamed), folder / "walk.c3d")
    refused = CliRunner().invoke(app, ["run", str(folder), "-o", str(tmp_path / "out")])
    assert refused.exit_code == 1
    assert not (tmp_path / "out").exists()
    assert "--from-walk --picture markers.png" in refused.stderr
    told = CliRunner().invoke(app, ["markerset", str(file), "--from-walk", "--picture", str(tmp_path / "seen.png")])
    assert told.exit_code in (0, 3), told.stderr
    assert (tmp_path / "seen.png").stat().st_size > 10_000
    assert "Is this right?" in told.stderr
    assert parse_markerset(told.stdout, "own").landmarks["L", "lateral_epicondyle"] == words["LKNE"]
