"""What two visits of one person differ by without any change: shared errors taken out, against markers placed anew many times."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from benchmarks.studies.session_error import NO_ERROR, Curves, Person
from biomech_id.conventions import ERROR_SOURCES, POWER_VARIABLE, SIDES
from biomech_id.dynamics.power import work
from biomech_id.session import trial_tables
from biomech_id.session.bands.band_values import joint_work_rows
from biomech_id.session.tables.session_tables import Tables
from biomech_id.statistics.sessions import ANEW, ComparedCycles, change_of_work, session_sd, sources_apart

N_DRAWS, SEED = 24, 5


@pytest.fixture(scope="module")
def recordings() -> tuple[bid.Trial, bid.Trial]:
    person = bid.virtual_subject()
    return person.static().trial, person.walk().trial


@pytest.fixture(scope="module")
def session(recordings: tuple[bid.Trial, bid.Trial]) -> Any:
    return bid.analyse(list(recordings), budget=False)


@pytest.fixture(scope="module")
def tables(session: Any) -> Tables:
    found: Tables = session.computed.tables()
    return found


@pytest.fixture(scope="module")
def person(recordings: tuple[bid.Trial, bid.Trial]) -> Person:
    return Person(*recordings, recordings[0].subject)


@pytest.fixture(scope="module")
def draws(person: Person) -> list[Curves]:
    rng = np.random.default_rng(SEED)
    return [person.placed_anew(rng) for _ in range(N_DRAWS)]


def visit(tables: Tables, **changed: Any) -> ComparedCycles:
    """The session as another visit, with other keys in its summary."""
    later = replace(tables, summary={**tables.summary, "version": "later", **changed})
    return ComparedCycles(later, later.cycle_list[later.cycle_list["used"]])


def test_the_difference_of_two_visits_holds_what_markers_placed_anew_make_of_it(
    tables: Tables, person: Person, draws: list[Curves]
) -> None:
    """The whole chain anew with every marker on another spot; the band's own sizes and form, but none of its formulas."""
    first, second = visit(tables), ComparedCycles(tables, tables.cycle_list[tables.cycle_list["used"]])
    ratios, shares = {}, {}
    for name in sorted({(variable, component) for _, variable, component in person.curves}):
        of_sides = [second.anew_sd(side, *name, ERROR_SOURCES) for side in SIDES]
        seen = np.sqrt(np.mean([(draw[side, *name] - person.curves[side, *name]) ** 2 for draw in draws for side in SIDES]))
        every = [sd**2 for sd in of_sides if sd is not None]
        if seen > NO_ERROR and every:
            sd, _ = session_sd(second, first, *name)
            ratios[name] = float(np.sqrt(np.mean(sd**2)) / seen)
            shares[name] = float(np.sqrt(np.mean(sd**2) / np.mean(every)))
    assert len(ratios) > 20
    # A bias is one number a draw: of 24 draws a true standard deviation is seen 0.7 to 1.7 times as wide (chi-squared, 99.8 %).
    assert 0.9 < np.median(list(ratios.values())) < 1.2, ratios
    assert min(ratios.values()) > 0.7, ratios
    assert max(ratios.values()) < 1.7, ratios
    # With all of its errors each session would be half as wide again, its powers several times.
    assert np.median(list(shares.values())) < 0.75
    assert max(share for name, share in shares.items() if name[0].endswith("Power")) < 0.65


def test_a_joint_s_work_has_the_band_that_markers_placed_anew_make(session: Any, person: Person, draws: list[Curves]) -> None:
    """Generated and absorbed work of mean powers in every draw, against the bands of the same errors alone."""
    trial = session.computed.trials[0]
    shown = {(n.side, n.cycle) for n in trial_tables.curves(trial).names if n.variable == "AnklePower"}
    cycles = {c.side: c for c in trial.cycles if c.steady and (c.side, c.number) in shown}
    bands = []
    for band in trial_tables.bands(trial):
        anew = np.array([source in ANEW for source in band.sources])
        kept = tuple(source for source in band.sources if source in ANEW)
        bands.append(replace(band, sources=kept, changes=band.changes[anew], event_sd_s={}))
    rows = list(joint_work_rows(trial_tables.curves(trial), bands, cycles.values()))
    assert len(rows) == 24
    ratios = []
    for row in rows:
        if row["phase"] != "stance":
            continue
        cycle = cycles[str(row["side"])]
        time_s = np.linspace(0.0, cycle.duration_s, 101)
        stance_s = (cycle.foot_off_s - cycle.start_s) * np.array([0.0, 1.0])
        name = (row["side"], row["variable"], "")
        sign = "positive_J" if row["name"] == "work_positive_stance" else "negative_J"
        unmoved, *moved = (getattr(work(curve[name], time_s, *stance_s), sign) for curve in (person.curves, *draws))
        assert row["value"] == pytest.approx(unmoved, rel=0.02)
        ratios.append(float(str(row["sd"])) / np.sqrt(np.mean((np.array(moved) - unmoved) ** 2)))
    assert len(ratios) == 12
    assert 0.8 < np.median(ratios) < 1.3, ratios
    assert min(ratios) > 0.6, ratios
    assert max(ratios) < 1.8, ratios


def test_work_stands_by_joint_and_phase_beside_the_peaks_with_its_band(session: Any) -> None:
    table = session.peaks[session.peaks["unit"] == "J/kg"]
    assert set(table["variable"]) == set(POWER_VARIABLE.values())
    assert set(table["name"]) == {f"work_{sign}_{phase}" for sign in ("positive", "negative") for phase in ("stance", "swing")}
    assert (table["value"][table["name"].str.contains("positive")] >= 0).all()
    assert (table["value"][table["name"].str.contains("negative")] <= 0).all()
    known = table.dropna(subset=["sd"])
    assert set(zip(known["variable"], known["name"], strict=True)) == set(zip(table["variable"], table["name"], strict=True))
    push_off = known[(known["variable"] == "AnklePower") & (known["name"] == "work_positive_stance")]
    assert len(push_off) >= 2
    # An adult's ankle generates some 0.2 to 0.3 J/kg, and with soft tissue it is known to a fifth.
    assert push_off["value"].between(0.1, 0.45).all()
    assert (push_off["sd"] / push_off["value"]).between(0.02, 0.6).all()


def test_a_change_of_work_must_leave_what_markers_placed_anew_make_of_it(
    tables: Tables, session: Any, person: Person, draws: list[Curves]
) -> None:
    """Of all of its error two visits do not share the part that their powers do not share: against the same 24 placements."""
    first, second = visit(tables), ComparedCycles(tables, tables.cycle_list[tables.cycle_list["used"]])
    shown = {(n.side, n.cycle) for n in trial_tables.curves(session.computed.trials[0]).names if n.variable == "AnklePower"}
    cycles = {c.side: c for c in session.computed.trials[0].cycles if c.steady and (c.side, c.number) in shown}
    ratios = []
    for side, cycle in cycles.items():
        time_s = np.linspace(0.0, cycle.duration_s, 101)
        for variable in POWER_VARIABLE.values():
            unmoved, *moved = (
                work(c[side, variable, ""], time_s, 0.0, cycle.foot_off_s - cycle.start_s) for c in (person.curves, *draws)
            )
            for sign in ("positive", "negative"):
                value, *others = (getattr(each, f"{sign}_J") for each in (unmoved, *moved))
                seen = np.sqrt(np.mean((np.array(others) - value) ** 2))
                change = change_of_work(first, second, (side, variable, f"work_{sign}_stance"), [[value] * 3, [value] * 3])
                ratios.append(change.carried / (1.96 * np.sqrt(2.0) * seen))
    assert len(ratios) == 12
    assert 0.75 < np.median(ratios) < 1.35, ratios
    assert min(ratios) > 0.5, ratios
    assert max(ratios) < 2.2, ratios
    within = change_of_work(second, second, ("L", "AnklePower", "work_positive_stance"), [[0.2, 0.21, 0.22], [0.3, 0.31, 0.32]])
    assert within.carried == pytest.approx(1.96 * within.sd * np.sqrt(2.0 / 3.0), rel=1e-3)


def test_what_two_visits_share_depends_on_them(tables: Tables) -> None:
    here = ComparedCycles(tables, tables.cycle_list[tables.cycle_list["used"]])
    summary = tables.summary
    assert sources_apart(here, visit(tables)) == ANEW
    other = {"subject": {**summary["subject"], "code": "SOMEBODY"}}
    assert sources_apart(here, visit(tables, **other)) == set(ERROR_SOURCES) - {"marker_noise"}
    functional = {"fingerprint": {**summary["fingerprint"], "hip_centre": "score"}}
    assert sources_apart(here, visit(tables, **functional)) == ANEW | {"hip_centre"}
    moved = [
        {**trial, "plates": [{**p, "corners_mm": np.add(p["corners_mm"], 40.0)} for p in trial["plates"]]}
        for trial in summary["trials"]
    ]
    assert sources_apart(here, visit(tables, trials=moved)) == ANEW | {"force_plates"}
    wider, _ = session_sd(here, visit(tables, trials=moved), "KneeMoment", "X", side="L")
    narrow, _ = session_sd(here, visit(tables), "KneeMoment", "X", side="L")
    assert (wider >= narrow).all()
    assert wider.max() > 1.02 * narrow.max()


def test_without_bands_the_virtual_persons_placements_are_taken(tables: Tables) -> None:
    plain = replace(tables, uncertainty=None)
    here = ComparedCycles(plain, plain.cycle_list[plain.cycle_list["used"]])
    sd, limit = session_sd(here, visit(plain), "KneeAngles", "X", side="L")
    own, same = session_sd(ComparedCycles(tables, here.cycles), visit(tables), "KneeAngles", "X", side="L")
    assert limit == same
    assert 0.7 < float(own.mean() / sd.mean()) < 1.3
