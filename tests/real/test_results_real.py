"""Tables of real sessions, each number checked a second way: from the written files, or from mechanics."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sessions import Sessions

from biomech_id.conventions import cycle_rows
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.session.folder.read_write import MANIFEST, damaged_outputs, read_tables, write_folder
from biomech_id.session.folder.replay import REPLAY
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import check_norm, norm_band

KEYS = ["trial", "side", "cycle", "variable", "component", "percent"]


@pytest.fixture
def written(sessions: Sessions) -> Callable[[str], Path]:
    """Subject -> the folder of its written session."""
    return lambda subject: sessions[f"children/{subject}"].out


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "subject" in metafunc.fixturenames:
        beside = Path(__file__).resolve().parents[3] / "shared"
        children = Path(os.environ.get("BIOMECH_ID_SHARED", beside)) / "c3d" / "children"
        names = sorted(path.name for path in children.iterdir()) if children.is_dir() else []
        metafunc.parametrize("subject", names or [pytest.param("none", marks=pytest.mark.skip(reason="no recordings"))])


def test_cycles_can_be_repeated_from_the_frame_tables(subject: str, written: Callable[[str], Path]) -> None:
    """Whoever has only the CSV files gets every curve back by linear interpolation between event times."""
    out = written(subject)
    summary = read_tables(out).summary
    cycles = pd.read_csv(out / "cycles.csv", keep_default_na=False, na_values={"value": [""]})
    curves = {key: rows["value"].to_numpy() for key, rows in cycles.groupby(KEYS[:5])}
    checked = 0
    for trial in summary["trials"]:
        frames = pd.read_csv(out / "trials" / f"{trial['name']}.csv")
        for cycle in trial["cycles"]:
            if cycle["kinetics_valid"] == "stance_only":
                continue
            time_s = np.linspace(cycle["start_s"], cycle["end_s"], 101)
            for row in cycle_rows():
                curve = curves.get((trial["name"], cycle["side"], cycle["cycle"], row.variable, row.component))
                if row.joint == "ground" or curve is None:
                    continue
                column = frames[row.column(cycle["side"])].to_numpy()
                if row.quantity == "angle":
                    # Foot progression of somebody who turns around jumps from 180 to -180 deg; nobody interpolates across that.
                    column = np.where(np.isfinite(column), np.unwrap(np.nan_to_num(column), period=360.0), np.nan)
                values = np.interp(time_s, frames["time"], column)
                both = np.isfinite(values) & np.isfinite(curve)
                if row.quantity == "angle" and both.any():
                    values += 360.0 * np.round((curve[both] - values[both]).mean() / 360.0)
                # The files hold nine digits: values to half a unit of the ninth, times below 10 s to 5e-9 s at both ends.
                steepest = np.abs(np.diff(column[np.isfinite(column)])).max(initial=0.0) * trial["rate_hz"]
                atol = 1e-8 * steepest + 1e-8 * np.abs(column[np.isfinite(column)]).max(initial=0.0)
                np.testing.assert_allclose(curve[both], values[both], rtol=0, atol=atol, err_msg=row.column(cycle["side"]))
                checked += 1
    assert checked > 100


def test_budget_adds_up_to_the_moment(subject: str, written: Callable[[str], Path]) -> None:
    tables = read_tables(written(subject))
    parts = tables.budget.groupby(KEYS)["value"].sum(min_count=5)
    whole = tables.cycles.set_index(KEYS)["value"].reindex(parts.index)
    both = parts.notna()
    assert both.sum() > 9 * 50
    np.testing.assert_allclose(parts[both], whole[both], atol=5e-8)  # N m/kg: five numbers of nine digits each


def test_the_foot_pushes_off_forward_and_the_weight_is_carried(subject: str, written: Callable[[str], Path]) -> None:
    """Signs of the ground's action in progression axes, in any walking direction and on both sides."""
    tables = read_tables(written(subject))
    whole = tables.cycle_list[(tables.cycle_list["kinetics_valid"] == "true") & tables.cycle_list["used"]]
    assert len(whole) >= 1
    for side in "LR":
        mine = whole[whole["side"] == side]
        forward, medial, up = (tables.curves(side, "GroundReactionForce", axis, cycles=mine) for axis in "XYZ")
        offs = mine["foot_off_percent"].to_numpy()
        for x, y, z, off in zip(forward, medial, up, offs, strict=True):
            loaded = z > 1.0  # N/kg
            early, late = np.arange(101) < 0.3 * off, (np.arange(101) > 0.7 * off) & (np.arange(101) < off)
            assert x[early & loaded].mean() < -0.2 < 0.2 < x[late & loaded].mean()
            assert y[loaded].mean() > 0.0, "the floor pushes a foot towards the other one"
            # A stance carries the body for half a stride: mean over the cycle half of g, within a fifth.
            assert np.nanmean(z) == pytest.approx(9.81 / 2, rel=0.2)


def test_pressure_moves_forward_to_the_toes_inside_the_foot(subject: str, written: Callable[[str], Path]) -> None:
    tables = read_tables(written(subject))
    whole = tables.cycle_list[(tables.cycle_list["kinetics_valid"] == "true") & tables.cycle_list["used"]]
    for side in "LR":
        for path in tables.curves(side, "FootCentreOfPressure", "X", cycles=whole):
            seen = path[np.isfinite(path)]
            length_mm = max(x for trial in tables.summary["trials"] for x, _ in trial["foot_outline_mm"][side]["points"])
            # Not every child strikes with the heel, but all of them end on the toes.
            half = len(seen) // 2
            assert seen[:half].mean() + 20.0 < seen[half:].mean()  # mm
            assert seen.min() < 0.5 * length_mm < 0.6 * length_mm < seen[-len(seen) // 5 :].mean()
            assert -20.0 < seen.min() < seen.max() < length_mm + 20.0  # mm


def test_a_session_is_whole_and_writes_the_same_bytes_again(subject: str, written: Callable[[str], Path], tmp_path: Path) -> None:
    out = written(subject)
    assert damaged_outputs(out) == ()
    write_folder(read_tables(out), tmp_path / "again")
    # The replay is drawn from the recordings, as the report is from the tables: it is none of them.
    tables = [path for path in out.rglob("*") if path.is_file() and path.parent.name != REPLAY]
    assert len(tables) > 10
    for path in tables:
        again = (tmp_path / "again" / path.relative_to(out)).read_bytes()
        if path.name == MANIFEST:
            before, after = json.loads(path.read_bytes()), json.loads(again)
            before["outputs"] = {name: of for name, of in before["outputs"].items() if not name.startswith(f"{REPLAY}/")}
            assert after == before
        else:
            assert again == path.read_bytes(), path.name


def test_a_norm_of_all_children_has_published_magnitudes(c3d_dir: Path, written: Callable[[str], Path]) -> None:
    """Schwartz et al. 2008 (J Biomech 41:1639), 83 children at free speed; six children stay within two of their SDs."""
    subjects = sorted(path.name for path in (c3d_dir / "children").iterdir())
    sessions: list[Tables] = [read_tables(written(subject)) for subject in subjects]
    norm = norm_from_sessions(sessions, source="six children")
    check_norm(norm, where="norm")
    knee, ankle = norm_band(norm, "KneeAngles", "X"), norm_band(norm, "AnkleMoment", "X")
    assert knee is not None
    assert ankle is not None
    assert knee.n == len(subjects)
    assert knee.mean.max() == pytest.approx(59.1, abs=2 * 6.3)
    assert abs(int(knee.mean.argmax()) - 72) <= 4
    assert ankle.mean.max() == pytest.approx(1.226, abs=2 * 0.120)
    assert abs(int(ankle.mean.argmax()) - 48) <= 4
    profile = norm_band(norm, "GPS")
    assert profile is not None
    assert 2.0 < profile.mean[0] < 9.0  # deg; 5.2 among the children of Baker et al. 2009
