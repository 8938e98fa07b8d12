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
from biomech_id.results.statistics.sessions import ANEW, ComparedCycles, session_sd, sources_apart
from biomech_id.results.tables.band_values import joint_work_rows
from biomech_id.results.tables.session_tables import SessionTables

N_DRAWS, SEED = 24, 5


@pytest.fixture(scope="module")
def recordings() -> tuple[bid.Trial, bid.Trial]:
    person = bid.virtual_subject()
    return person.static().trial, person.walk().trial


@pytest.fixture(scope="module")
def session(recordings: tuple[bid.Trial, bid.Trial]) -> Any:
    return bid.analyse(list(recordings), budget=False)


@pytest.fixture(scope="module")
def tables(session: Any) -> SessionTables:
    found: SessionTables = session.computed.tables()
    return found


@pytest.fixture(scope="module")
def person(recordings: tuple[bid.Trial, bid.Trial]) -> Person:
    return Person(*recordings, recordings[0].subject)


@pytest.fixture(scope="module")
def draws(person: Person) -> list[Curves]:
    rng = np.random.default_rng(SEED)
    return [person.placed_anew(rng) for _ in range(N_DRAWS)]


def visit(tables: SessionTables, **changed: Any) -> ComparedCycles:
    """The session as another visit, with other keys in its summary."""
    later = replace(tables, summary={**tables.summary, "version": "later", **changed})
    return ComparedCycles(later, later.cycle_list[later.cycle_list["used"]])


def test_the_difference_of_two_visits_holds_what_markers_placed_anew_make_of_it(
    tables: SessionTables, person: Person, draws: list[Curves]
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
    shown = {(n.side, n.cycle) for n in trial.curves.names if n.variable == "AnklePower"}
    cycles = {c.side: c for c in trial.cycles if c.steady and (c.side, c.number) in shown}
    bands = []
    for band in trial.bands:
        anew = np.array([source in ANEW for source in band.sources])
        kept = tuple(source for source in band.sources if source in ANEW)
        bands.append(replace(band, sources=kept, changes=band.changes[anew], event_sd_s={}))
    rows = [row for row in joint_work_rows(trial.curves, bands, cycles.values()) if row["phase"] == "stance"]
    assert len(rows) == 6
    ratios = []
    for row in rows:
        cycle = cycles[str(row["side"])]
        time_s = np.linspace(0.0, cycle.duration_s, 101)
        stance_s = (cycle.foot_off_s - cycle.start_s) * np.array([0.0, 1.0])
        name = (row["side"], POWER_VARIABLE[str(row["joint"])], "")
        unmoved, *moved = (work(curve[name], time_s, *stance_s) for curve in (person.curves, *draws))
        assert row["positive"] == pytest.approx(unmoved.positive_J, rel=0.02)
        assert row["negative"] == pytest.approx(unmoved.negative_J, rel=0.02)
        for sign in ("positive", "negative"):
            seen = np.sqrt(np.mean([(getattr(each, f"{sign}_J") - getattr(unmoved, f"{sign}_J")) ** 2 for each in moved]))
            ratios.append(float(str(row[f"{sign}_sd"])) / seen)
    assert 0.8 < np.median(ratios) < 1.3, ratios
    assert min(ratios) > 0.6, ratios
    assert max(ratios) < 1.8, ratios


def test_work_is_given_by_joint_and_phase_with_its_band(session: Any) -> None:
    table = session.trials[0].joint_work
    assert set(table["joint"]) == {"hip", "knee", "ankle"}
    assert set(table["phase"]) == {"stance", "swing"}
    assert (table["positive"] >= 0).all()
    assert (table["negative"] <= 0).all()
    steady = table.dropna()
    assert len(steady) >= 6
    push_off = steady[(steady["joint"] == "ankle") & (steady["phase"] == "stance")]
    # An adult's ankle generates some 0.2 to 0.3 J/kg, and with soft tissue it is known to a fifth.
    assert push_off["positive"].between(0.1, 0.45).all()
    assert (push_off["positive_sd"] / push_off["positive"]).between(0.02, 0.6).all()


def test_what_two_visits_share_depends_on_them(tables: SessionTables) -> None:
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


def test_without_bands_the_virtual_persons_placements_are_taken(tables: SessionTables) -> None:
    plain = replace(tables, uncertainty=None)
    here = ComparedCycles(plain, plain.cycle_list[plain.cycle_list["used"]])
    sd, limit = session_sd(here, visit(plain), "KneeAngles", "X", side="L")
    own, same = session_sd(ComparedCycles(tables, here.cycles), visit(tables), "KneeAngles", "X", side="L")
    assert limit == same
    assert 0.7 < float(own.mean() / sd.mean()) < 1.3
