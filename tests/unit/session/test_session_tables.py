from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biomech_id.conventions import SESSION_TABLES, Aspect, table_columns
from biomech_id.errors import Finding, OptionError, UnknownNameError
from biomech_id.feet.movements import TrialKind
from biomech_id.files.json_text import jsonable
from biomech_id.gait.events import Agreement
from biomech_id.judgement.quality import graded
from biomech_id.movement.cycle import KineticsValid
from biomech_id.norms.fit import norm_for_session
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.plugins import Registry
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.output import statistics_rows
from biomech_id.session.output.statistics_rows import register_statistic
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.tables.extrema import extrema_rows
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.trial_tables import curves, frames
from biomech_id.session.values.norm import without_contributors
from biomech_id.trial import EventKind, ForcePlate
from docs.generate.documents import all_documents


@pytest.fixture(scope="module")
def tables(session: Session) -> Tables:
    return session.tables()


def test_every_table_has_the_columns_and_types_of_its_dictionary(tables: Tables) -> None:
    for name in SESSION_TABLES:
        table = getattr(tables, name)
        assert list(table.columns) == [column.name for column in table_columns(name)], name
        for column in table_columns(name):
            kind = table[column.name].dtype
            fits = {"number": kind == np.float64, "integer": kind == np.int64, "text": pd.api.types.is_string_dtype(kind)}
            assert fits[column.kind], (name, column.name, kind)


def test_fresh_and_read_back_are_the_same(tables: Tables, tmp_path: Path) -> None:
    write_folder(tables, tmp_path / "out")
    back = read_tables(tmp_path / "out")
    for name in SESSION_TABLES:
        pd.testing.assert_frame_equal(getattr(back, name), getattr(tables, name), rtol=5e-9, atol=0, obj=name)
    pd.testing.assert_frame_equal(back.frames["walk"], tables.frames["walk"], rtol=5e-9, atol=0)
    pd.testing.assert_frame_equal(back.cycle_list, tables.cycle_list, rtol=5e-9, atol=0, check_dtype=False)


def paths(value: Any, prefix: str = "") -> Iterator[str]:
    """Every key path of a JSON value, lists of mappings as ``[]``."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from paths(item, f"{prefix}.{'<side>' if key in ('L', 'R') else key}" if prefix else key)
    elif isinstance(value, list) and value and isinstance(value[0], Mapping):
        yield f"{prefix}[]"
        for item in value:
            yield from paths(item, f"{prefix}[]")
    else:
        yield prefix


def test_every_key_of_the_summary_is_in_the_dictionary(session: Session, tables: Tables) -> None:
    summary = next(document for document in all_documents() if document.name == "summary.json")
    known = {key.path for key in summary.keys} | {f"{key.path.removesuffix('[]')}" for key in summary.keys}
    # Sources are by field, and the values of a sentence by its rule.
    free = r"^(subject\.sources|.*\.values)\..*"
    written = {re.sub(free, r"\1", path) for path in paths(jsonable(tables.summary))}
    assert written <= known, written - known
    # And the dictionary promises nothing that is never written: what is left needs a norm, plates or findings.
    needed = (
        "norm.",
        "review.",
        "plates.",
        "trials[].plates",
        "trials[].residual",
        "trials[].findings",
        "trials[].event_agreement",
        "findings",
        "thinned",
    )
    left = {key.path for key in summary.keys} - written - {"error_sizes"}
    reasons = re.compile(r"verdicts\..*\.reasons\[\]")
    assert {path for path in left if not path.startswith(needed) and not reasons.search(path)} == set()


def test_every_key_of_the_manifest_is_in_the_dictionary(tables: Tables) -> None:
    manifest = next(document for document in all_documents() if document.name == "manifest.json")
    # "drawn" and "drawn_appendix" are added by `report`, "in_memory" by what is given in Python, "coded" by a code, "released" by
    # `release`, "memory" by a laboratory's.
    assert set(tables.manifest) == {key.path for key in manifest.keys} - {
        "drawn",
        "drawn_appendix",
        "in_memory",
        "coded",
        "memory",
        "released",
    }


def test_summary_says_what_became_of_everything(tables: Tables) -> None:
    summary = tables.summary
    assert summary["sentence"] == "1 trial: 0 accepted, 1 with warnings (walk), 1 could not be analysed (broken.c3d)."
    assert summary["verdict"] == "warn"
    assert summary["trials"][0]["reasons"] == ["Marker rigidity 12 mm, above the limit of 10 mm"]
    np.testing.assert_allclose(summary["trials"][0]["progression"], [np.cos(np.pi / 6), np.sin(np.pi / 6)], atol=1e-12)
    cycle = summary["trials"][0]["cycles"][0]
    assert cycle["foot_off_percent"] == pytest.approx(100 * (1.2 - 0.6033) / (1.4071 - 0.6033))
    assert set(summary["trials"][0]["foot_outline_mm"]) == {"L", "R"}
    assert summary["subject"]["sources"] == {"mass_kg": "subject.toml"}


def test_plates_and_events_are_told_in_the_units_people_read(session: Session, trial: Solved) -> None:
    corners = np.array([[0.6, 0.4, 0.05], [0.0, 0.4, 0.05], [0.0, 0.0, 0.05], [0.6, 0.0, 0.05]])
    plate = ForcePlate(
        "plate 1", 2, corners, np.zeros((1600, 3)), np.zeros((1600, 3)), 1000.0, baseline_N=np.array([0.0, 0.0, 2.0])
    )
    lag = Agreement("L", EventKind.FOOT_OFF, "marker", "plate", 3, -0.012, 0.02)
    told = replace(trial, plates=(plate,), agreement=(lag,), findings=(Finding("frame-single", {"trial": "walk"}),))
    summary = jsonable(replace(session, movements=(told,)).tables().summary["trials"][0])
    assert summary["plates"][0]["corners_mm"][0] == [600.0, 400.0, 50.0]
    assert summary["plates"][0]["baseline_N"] == 2.0
    assert summary["event_agreement"] == [
        {"side": "L", "kind": "Foot Off", "source": "marker", "reference": "plate", "n": 3, "median_ms": -12.0, "worst_ms": 20.0}
    ]
    hint = "Usable for a calibration at best; export the whole trial."
    assert summary["findings"] == [
        {"rule": "frame-single", "values": {"trial": "walk"}, "severity": "warning", "message": "walk has a single frame.",
         "hint": hint, "where": ""}
    ]  # fmt: skip
    heights = frames(told)["LCentreOfPressure.Z"]
    np.testing.assert_allclose(heights[np.isfinite(heights)], 50.0, rtol=1e-12)  # mm: the pressure acts on the plate's surface


def test_only_steady_cycles_count_and_a_layer_that_was_refused_takes_no_other(trial: Solved) -> None:
    steady = trial.cycles[0]
    # Its whole body was not measured.
    layers = [Aspect.KINEMATICS, Aspect.KINETICS, Aspect.EMG]
    assert [layer for layer in Aspect if trial.counts(steady, layer)] == layers
    assert not any(trial.counts(replace(steady, steady=False), layer) for layer in Aspect)
    for refused in layers:
        bad = replace(steady, refused=(refused,))
        assert [layer for layer in layers if not trial.counts(bad, layer)] == [refused]
        assert all(trial.counts(replace(bad, chosen=True), layer) for layer in layers)
        assert not trial.counts(replace(bad, chosen=True), refused, by_rules=True)
    # What is no straight walk is averaged on pages of its own, steady or not.
    turn = replace(trial, kind=TrialKind.TURN)
    assert turn.counts(replace(steady, steady=False), Aspect.KINEMATICS)
    assert not turn.counts(replace(steady, refused=(Aspect.KINEMATICS,)), Aspect.KINEMATICS)


def test_nobody_puts_into_a_mean_what_was_not_measured(trial: Solved) -> None:
    steady = trial.cycles[0]
    stance = replace(steady, kinetics_valid=KineticsValid.STANCE_ONLY, chosen=True)
    assert [layer for layer in Aspect if trial.counts(stance, layer)] == [Aspect.KINETICS]
    bare = replace(steady, kinetics_valid=KineticsValid.FALSE, chosen=True)
    assert not trial.counts(bare, Aspect.KINETICS)


def test_a_session_is_rejected_only_when_nothing_is_left(session: Session, trial: Solved) -> None:
    bad = replace(trial, cycles=(), quality=(graded("walk", "marker-rigidity", 99.0),))
    good = replace(trial, quality=(graded("walk", "gap-largest", 0.0),))
    assert replace(session, movements=(bad, bad)).grade == "reject"
    assert replace(session, movements=(bad, good)).grade == "warn"
    assert replace(session, movements=(good,), failures=()).grade == "accept"
    assert replace(session, movements=(good,)).grade == "warn"
    empty = replace(session, movements=())
    assert empty.verdict == "reject"
    assert empty.tables().summary["sentence"] == "No trial could be analysed."


def test_frames_by_name(session: Session) -> None:
    assert session.frames("walk").to_dataframe()["frame"].iloc[0] == 41
    with pytest.raises(UnknownNameError, match="run7"):
        session.frames("run7")


def test_stances_and_quality_rows(tables: Tables) -> None:
    assert tables.stances["plate"].tolist() == ["plate 1", ""]
    assert tables.stances["verdict"].tolist() == ["clean", "cut"]
    assert np.isnan(tables.stances["end_s"].iloc[1])
    assert tables.gaps.iloc[0].tolist()[:-1] == ["walk", "LANK", 45, 49, "spline"]
    assert np.isnan(tables.gaps.error_mm[0])
    assert tables.quality.iloc[0].tolist() == [
        "walk",
        "marker-rigidity",
        12.0,
        "mm",
        10.0,
        "warn",
        "kinematics kinetics whole_body",
    ]


def test_extrema_are_those_of_the_curve(trial: Solved) -> None:
    rows = (
        pd.DataFrame(extrema_rows(curves(trial), trial.cycles))
        .set_index(["side", "cycle", "variable", "component", "name"])
        .sort_index()
    )
    cycle = trial.cycles[0]
    place = [(n.side, n.cycle, n.variable, n.component) for n in curves(trial).names].index(("L", 1, "KneeAngles", "X"))
    curve = curves(trial).values[place]
    off = 100 * (cycle.foot_off_s - cycle.start_s) / (cycle.end_s - cycle.start_s)
    stance = np.arange(101) <= off
    picked = rows.loc[("L", 1, "KneeAngles", "X")]
    assert picked.loc["value_contact", "value"] == curve[0]
    assert picked.loc["max_stance", "value"] == curve[stance].max()
    assert picked.loc["min_stance", "value"] == curve[stance].min()
    assert picked.loc["max_swing", "value"] == curve[~stance].max()
    assert picked.loc["min_swing", "value"] == curve[~stance].min()
    at = picked.loc["max_swing"]
    assert at["percent"] == np.argmax(np.where(stance, -np.inf, curve))
    assert at["time_s"] == pytest.approx(cycle.start_s + at["percent"] / 100 * (cycle.end_s - cycle.start_s))
    # A stance_only cycle has no swing to look into.
    right = rows.loc[("R", 1, "KneeMoment", "X")]
    assert "max_stance" in right.index
    assert "max_swing" not in right.index


def test_bursts_are_picked_from_the_power_curve_with_their_sagittal_share(tables: Tables, trial: Solved) -> None:
    assert trial.loads is not None
    peaks = tables.peaks
    bursts = peaks[peaks["name"].str.fullmatch("[AKH][1-4]")]
    assert len(bursts) > 0
    for _, row in bursts.iterrows():
        curve = tables.curves(row["side"], row["variable"])[0]
        assert row["value"] == curve[int(row["percent"])]
        load = trial.loads[row["side"], row["variable"].removesuffix("Power").lower()]
        distal, proximal = (load.motions[name] for name in (load.distal, load.proximal))
        spin = np.einsum("nji,nj->ni", distal.frames.R_lab_seg, distal.omega_lab_rad_s - proximal.omega_lab_rad_s)
        sagittal_W = load.expressed_in("distal").moment_Nm[:, 1] * spin[:, 1]
        at = np.interp(row["time_s"], frames(trial).time_s, sagittal_W)
        share = peaks[(peaks["name"] == f"{row['name']}_sagittal_share") & (peaks["side"] == row["side"])]
        assert len(share) == 1
        assert share["unit"].iloc[0] == "%"
        assert share["value"].iloc[0] == pytest.approx(100.0 * at / 64.0 / row["value"], rel=1e-6)


def _against(session: Session, norm: pd.DataFrame) -> Session:
    compared = replace(session, norm_table=norm)
    return replace(compared, fitted_norm=norm_for_session(compared))


def test_scores_against_a_norm_made_of_oneself_are_zero(session: Session, tables: Tables) -> None:
    norm = norm_from_sessions([tables], source="oneself")
    # A norm that tells who is in it compares nobody with himself; one of an older version does not know.
    assert _against(session, norm).tables().scores.empty
    norm = without_contributors(norm)
    # The norm averages left and right; only the left side has angles here.
    scores = _against(session, norm).tables().scores
    assert set(scores["score"]) == {"GVS", "GPS"}
    assert set(scores["side"]) == {"L"}
    np.testing.assert_allclose(scores["value"], 0.0, atol=1e-12)


def test_a_statistic_of_a_laboratory_has_its_rows(session: Session, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics_rows, "_STATISTICS", Registry("statistic", dict(statistics_rows._STATISTICS)))
    cells = {"condition": "", "side": "L", "variable": "HipAngles", "component": "X", "test": "of ours", "n": 3, "outside": "false"}
    numbers = dict.fromkeys(("t", "limit", "percent", "outside_percent", "p"), 0.5)

    def of_ours(tables: Tables, norm: pd.DataFrame) -> list[dict[str, object]]:
        return [cells | numbers | {"percent": float(len(norm))}]

    norm = without_contributors(norm_from_sessions([tables], source="oneself"))
    before = _against(session, norm).tables().statistics
    register_statistic("of-ours", of_ours)
    with pytest.raises(OptionError, match="of-ours"):
        register_statistic("of-ours", of_ours)
    after = _against(session, norm).tables().statistics
    assert before is not None
    assert after is not None
    pd.testing.assert_frame_equal(after.iloc[:-1], before)
    assert after["test"].iloc[-1] == "of ours"
    assert after["percent"].iloc[-1] == len(norm)


def test_scores_against_a_shifted_norm_are_the_shift(session: Session, tables: Tables) -> None:
    norm = without_contributors(norm_from_sessions([tables], source="oneself"))
    knee = (norm["variable"] == "KneeAngles") & (norm["component"] == "X")
    norm.loc[knee, "mean"] += 6.0
    scores = _against(session, norm).tables().scores.set_index(["score", "variable"])["value"]
    assert np.ravel(scores["GVS", "KneeAngles"]) == pytest.approx(6.0)
    assert np.ravel(scores["GPS", ""]) == pytest.approx(np.sqrt(36.0 / 9.0))  # nine variables, one of them 6 deg off
