"""Measures of runs against the virtual runner, whose forces and times are known, and against forces written down here."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import biomech_id as bid
from biomech_id.errors import OptionError
from biomech_id.gait.measures.running import VerticalForce, _loading_rate, strike_type, strike_type_of_force
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.sample.c3d import write_c3d
from biomech_id.session.values.norm import check_norm, movement_of, norm_band, write_norm


@cache
def session():
    import tempfile

    person = bid.virtual_subject()
    folder = Path(tempfile.mkdtemp()) / "runner"
    folder.mkdir()
    sample = person.walk("run", run=True)
    write_c3d(person.static(), folder / "static.c3d")
    write_c3d(sample, folder / "run.c3d")
    return folder, sample, bid.analyse(folder, uncertainty=False, budget=False)


def values(parameter: str) -> np.ndarray:
    table = session()[2].tables().spatiotemporal
    found = table[table["parameter"] == parameter]["value"].to_numpy(dtype=float)
    assert len(found), parameter
    return found


def test_times_of_a_run_are_the_runners() -> None:
    _, sample, result = session()
    assert str(result.trials[0].kind) == "run"
    truth = sample.truth.spatiotemporal
    contact = 0.01 * truth["foot_off_percent"] * truth["cycle_s"]
    assert values("contact_time") == pytest.approx(contact, abs=1e-3)
    assert values("flight_time") == pytest.approx(0.5 * truth["cycle_s"] - contact, abs=1e-3)
    assert values("step_rate") == pytest.approx(truth["cadence_steps_per_min"], abs=0.1)
    assert values("duty_factor") == pytest.approx(truth["foot_off_percent"], abs=0.1)
    table = result.tables().spatiotemporal
    assert not set(table["parameter"]) & {"cadence", "stance_time", "double_support", "single_support"}


def test_forces_of_a_run_are_the_runners() -> None:
    _, sample, _ = session()
    truth, mass, time = sample.truth, sample.trial.subject.mass_kg, sample.truth.time_s
    peaks, brakes = [], []
    for side in "LR":
        force = truth.ground_force_lab_N[side] / mass
        peaks.append(force[:, 2].max())
        for stance in truth.stances:
            on = (time >= stance.strike_s) & (time <= stance.off_s)
            if stance.side == side and stance.plates and stance.strike_s > time[0] and stance.off_s < time[-1]:
                ahead = force[on] @ truth.progression_R_lab[0]
                brakes.append(np.minimum(ahead, 0.0).sum() / sample.trial.rate_hz)
    assert values("peak_vertical_force") == pytest.approx(max(peaks), rel=0.01)
    assert values("braking_impulse").mean() == pytest.approx(np.mean(brakes), rel=0.03)
    # Over whole strides nobody who keeps the speed brakes more than is pushed.
    assert values("propulsive_impulse").mean() == pytest.approx(-values("braking_impulse").mean(), rel=0.03)
    assert np.all((values("strike_index") > 0) & (values("strike_index") < 100))


def test_stiffness_is_peak_force_over_the_fall_of_the_body() -> None:
    _, sample, _ = session()
    pelvis = sample.truth.origin_lab_m["", "pelvis"][:, 2]
    time, falls = sample.truth.time_s, []
    for stance in sample.truth.stances:
        on = (time >= stance.strike_s) & (time <= stance.off_s)
        if stance.plates and on.sum() > 5:
            falls.append(pelvis[on][0] - pelvis[on].min())
    expected = 1e-3 * values("peak_vertical_force").mean() / np.mean(falls)
    assert values("vertical_stiffness").mean() == pytest.approx(expected, rel=0.08)
    assert np.all(values("leg_stiffness") < values("vertical_stiffness").mean())
    assert values("vertical_oscillation") == pytest.approx(np.ptp(pelvis), abs=0.004)


@pytest.mark.parametrize("impact", [True, False])
def test_the_loading_rate_is_the_slope_that_was_written(impact: bool) -> None:
    """A ramp of 40 kN/s up to an impact peak at 40 ms, or a slow parabola without one."""
    rate_hz = 1000.0
    time = np.arange(1000) / rate_hz
    t = time - 0.3
    if impact:
        force = np.interp(t, [0.0, 0.04, 0.06, 0.13, 0.25], [0.0, 1600.0, 1200.0, 1900.0, 0.0], left=0.0, right=0.0)
        expected = 40_000.0
    else:
        force = np.where((t > 0) & (t < 0.25), 1800.0 * (1 - ((t - 0.125) / 0.125) ** 2), 0.0)
        expected = 2 * 1800.0 / 0.125
    found = _loading_rate(VerticalForce(time, force, rate_hz), SimpleNamespace(start_s=0.3, foot_off_s=0.55))
    assert found == pytest.approx(expected, rel=0.1)


def test_strike_types_at_their_limits() -> None:
    assert [strike_type(a) for a in (8.1, 7.9, -1.5, -1.7)] == ["rear", "mid", "mid", "fore"]
    assert [strike_type_of_force(i) for i in (33.0, 34.0, 66.0, 67.0, np.nan)] == ["rear", "mid", "mid", "fore", ""]


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_report_of_runs_has_no_words_of_walking(language: str, tmp_path: Path) -> None:
    from pypdf import PdfReader

    from biomech_id.report.layout.style import load_style
    from biomech_id.report.pdf import draw_report

    _, _, result = session()
    path = draw_report(result.tables(), tmp_path / "report.pdf", style=load_style(language=language))
    pages = [page.extract_text() for page in PdfReader(path).pages]
    words = r"\b(walk\w*|gait)\b" if language == "en" else r"\b(Gang\w*|Geh(en|tempo)|Gehens)\b"
    # The model's own name and what it stands on are what they are called.
    allowed = re.compile(r"conventional gait model|konventionellen? Gangmodell\w*|Gait Posture|J Gait", re.IGNORECASE)
    found = [line for text in pages for line in text.splitlines() if re.search(words, allowed.sub("", line), re.IGNORECASE)]
    assert not found
    # The movement's own page is the first: who, how far each layer can be trusted, room for a signature.
    first = {"en": ("Can it be trusted?", "Comment and signature"), "de": ("Ist darauf Verlass?", "Kommentar und Unterschrift")}
    assert [words in pages[0] for words in (*first[language], "1.75 m" if language == "en" else "1,75 m")] == [True] * 3
    title = "Running" if language == "en" else "Laufen"
    assert [number for number, text in enumerate(pages) if text.startswith(title) or f"\n{title}\n" in text] == [0]


@cache
def runners():
    """Two runners, each with a name of their own: the session's, and one who runs faster; what is true of the second."""
    first = session()[2].tables()
    person = bid.virtual_subject()
    sample = person.walk("run", run=True, speed_m_s=3.5)
    second = bid.analyse([person.static().trial, sample.trial], uncertainty=False, budget=False).tables()
    return [_named(first, "A"), _named(second, "B")], sample


def _named(tables, code: str):
    inputs = {path: f"{code} {sha256}" for path, sha256 in tables.manifest["inputs"].items()}
    return replace(tables, summary={**tables.summary, "subject": {**tables.summary["subject"], "code": code}},
                   manifest={**tables.manifest, "inputs": inputs})  # fmt: skip


@cache
def walker():
    person = bid.virtual_subject()
    return _named(bid.analyse([person.static().trial, person.walk().trial], uncertainty=False, budget=False).tables(), "W")


def test_a_norm_of_runs_is_that_of_the_runners() -> None:
    tables, faster = runners()
    norm = norm_from_sessions([*tables, walker()], source="two runners", movement="run", mix=("bandwidth",))
    check_norm(norm, where="norm")
    assert set(norm["movement"]) == {"run"}
    assert norm["n"].max() == 2  # the walker has no run
    truths = [session()[1].truth.spatiotemporal, faster.truth.spatiotemporal]
    for name, of in (
        ("contact_time", lambda t: 0.01 * t["foot_off_percent"] * t["cycle_s"]),
        ("step_rate", lambda t: t["cadence_steps_per_min"]),
    ):
        expected = [of(truth) for truth in truths]
        assert abs(expected[0] - expected[1]) > 1e-3
        band = norm_band(norm, name)
        assert band.mean[0] == pytest.approx(np.mean(expected), rel=0.005)
        # The SD is that of limbs; both of a runner's do the same.
        assert band.sd[0] == pytest.approx(np.std([*expected, *expected], ddof=1), rel=0.1)
    knees = [np.mean([t.curves(side, "KneeAngles", "X", cycles=t.cycle_list[t.cycle_list["side"] == side]).mean(axis=0)
                      for side in "LR"], axis=0) for t in tables]  # fmt: skip
    np.testing.assert_allclose(norm_band(norm, "KneeAngles", "X").mean, np.mean(knees, axis=0), atol=0.2)
    # Gait scores are defined for walking.
    assert not norm["variable"].str.contains("GPS|GVS").any()
    with pytest.raises(OptionError, match="norm of walks"):
        norm_from_sessions(tables, source="", mix=("bandwidth",))
    with pytest.raises(OptionError, match="movement"):
        norm_from_sessions(tables, source="", movement="hop")


def test_walks_and_runs_are_never_in_one_norm() -> None:
    tables, _ = runners()
    runs = norm_from_sessions(tables, source="", movement="run", mix=("bandwidth",))
    walks = norm_from_sessions([walker()], source="")
    assert movement_of(walks) == "walk"
    with pytest.raises(OptionError, match="is of run and walk"):
        check_norm(pd.concat([runs, walks.assign(variable="of walks " + walks["variable"])]), where="norm")


def test_a_norm_of_runs_is_held_against_runs_and_nothing_else(tmp_path: Path) -> None:
    from biomech_id.report.book import session_pages
    from biomech_id.report.layout.style import load_style
    from biomech_id.report.pages.running import running_rows
    from biomech_id.report.panels.layer import layers_of
    from biomech_id.report.panels.norm import with_norm

    tables, _ = runners()
    norm = norm_from_sessions(tables, source="", movement="run", mix=("bandwidth",))
    write_norm(norm, tmp_path / "runs.csv")

    def band_of(of):
        return with_norm(tmp_path / "runs.csv", of, mix=("bandwidth",))[1]

    def bands(of, pages):
        compared, band = with_norm(tmp_path / "runs.csv", of, mix=("bandwidth",))
        drawn = session_pages(compared, load_style(), band, pages)
        gids = [str(artist.get_gid()) for page in drawn for artist in page.figure.findobj(lambda x: bool(x.get_gid()))]
        return compared, {gid.removeprefix("norm ") for gid in gids if gid.startswith("norm")}

    own, behind = bands(_named(session()[2].tables(), "C"), ["kinematics_mean", "running"])
    assert {"KneeAngles.X", "GroundReactionForce.Z"} <= behind
    assert not len(own.scores)
    assert {"contact_time", "speed"} <= set(own.statistics["variable"])
    # A measure far from the norm's is flagged, one that is printed alike is not.
    far = replace(band_of(own), scalars={**band_of(own).scalars, "contact_time": (0.20, 0.001), "duty_factor": (36.0, 1e-9)})
    rows = {row[0]: row for row in running_rows(layers_of(own)[0], load_style(), far)}
    assert rows["Contact time"][2].bold
    assert rows["Contact time"][2].text.startswith("▲")
    assert rows["Contact time"][-1] == "0.20 ± 0.00"
    assert not rows["Duty factor"][2].bold
    other, behind = bands(walker(), ["kinematics_mean", "running"])
    assert behind == set()
    assert not len(other.statistics)
    assert not len(other.scores)


def test_who_gives_a_norm_of_another_movement_is_told(tmp_path: Path) -> None:
    folder = session()[0]
    write_norm(norm_from_sessions([walker()], source="", mix=("bandwidth",)), tmp_path / "walks.csv")
    write_norm(norm_from_sessions(runners()[0], source="", movement="run", mix=("bandwidth",)), tmp_path / "runs.csv")
    rules = {}
    for name in ("walks.csv", "runs.csv"):
        result = bid.analyse(folder, norm=tmp_path / name, uncertainty=False, budget=False, mix=["bandwidth"])
        rules[name] = set(result.findings["rule"])
    assert "norm-of-other-movement" in rules["walks.csv"]
    assert "norm-of-other-movement" not in rules["runs.csv"]


def test_a_norm_of_walks_is_not_drawn_behind_a_run() -> None:
    """The norm is one of straight walks, whose bands would be read as how people run."""
    from biomech_id.report.book import session_pages
    from biomech_id.report.layout.style import load_style
    from biomech_id.report.panels.norm import Norm

    _, _, result = session()
    band = (np.zeros(101), np.ones(101))
    norm = Norm({("KneeAngles", "X"): band, ("KneeMoment", "X"): band}, {}, {"n": 24})
    (page,) = session_pages(result.tables(), load_style(), norm, ["kinematics_mean"])
    drawn = [artist.get_gid() or "" for artist in page.figure.findobj(lambda artist: bool(artist.get_gid()))]
    assert any("KneeAngles.X" in gid for gid in drawn)
    assert not [gid for gid in drawn if gid.startswith("norm")]


def test_the_runners_knees_bend_and_do_not_turn() -> None:
    """Beyond 85 degrees of flexion the thighs turned about themselves: knee varus of 56 and hip rotation of 53 degrees in swing."""
    table = session()[2].tables()
    for side in "LR":
        cycles = table.cycle_list[table.cycle_list["side"] == side]
        assert table.curves(side, "KneeAngles", "X", cycles=cycles).max() > 80.0
        assert np.abs(table.curves(side, "KneeAngles", "Y", cycles=cycles)).max() < 10.0
        assert np.abs(table.curves(side, "HipAngles", "Z", cycles=cycles)).max() < 15.0
