"""Events from markers alone against the force of whole contacts, in recordings of a dozen laboratories: the gates of every one.

What is compared, and how, the study beside the benchmarks says (`benchmarks.studies.gait_events`); its table is held to it too.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.gait_events import KINDS, OFF, STRIKE, TABLE, Compared, laboratories, line, pooled
from biomech_id.gait.events import event_agreement, search_events
from biomech_id.readers import read_c3d
from biomech_id.trial import Event

#: Median and 95 % of errors, and the bias of every laboratory with at least eight contacts (and of the others together), ms.
GATES = {STRIKE: (6.0, 20.0, 8.0), OFF: (8.0, 30.0, 10.0)}


@pytest.fixture(scope="module")
def rows(c3d_dir) -> list[Compared]:
    return laboratories(c3d_dir)[0]


def test_every_whole_contact_has_its_events(rows):
    for kind in KINDS:
        mine = [row for row in rows if row.kind is kind]
        assert len(mine) >= 90
        assert len({row.where for row in mine}) >= 12
        assert np.isfinite([row.error_ms for row in mine]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_errors_over_all_laboratories(rows, kind):
    size, (median_ms, most_ms, _) = np.abs([row.error_ms for row in rows if row.kind is kind]), GATES[kind]
    assert np.median(size) <= median_ms
    assert np.mean(size <= most_ms) >= 0.95


@pytest.mark.parametrize("kind", KINDS)
def test_no_laboratory_is_biased(rows, kind):
    mine = [row for row in pooled(rows) if row.kind is kind]
    for where in {row.where for row in mine}:
        errors = [row.error_ms for row in mine if row.where == where]
        assert abs(np.mean(errors)) <= GATES[kind][2], where
        assert abs(np.median(errors)) <= GATES[kind][2], where


@pytest.mark.parametrize("kind", KINDS)
def test_standard_deviations_say_how_far_events_lie_from_the_force(rows, kind):
    """95 % should lie within 1.96 standard deviations; one laboratory whose left plate lags by 30 ms is among them."""
    error, sd = (np.array([getattr(row, name) for row in rows if row.kind is kind]) for name in ("error_ms", "sd_ms"))
    assert 0.85 <= np.mean(np.abs(error) < 1.96 * sd) <= 0.99
    assert (sd > 2.0).all()
    assert (sd < 50.0).all()


def test_the_table_is_of_these_recordings(rows):
    assert line("all", rows) in TABLE.read_text(encoding="utf-8").splitlines()


def test_the_lags_here_are_those_the_agreement_tables_show(c3d_dir):
    """Two ways to the same number: medians per side and kind from `event_agreement`, and from the events themselves."""
    found = search_events(read_c3d(c3d_dir / "vendors" / "BTS.c3d", trust=True))
    plates: list[Event] = list(found.by_source["plate"])
    rows = event_agreement({"plate": plates, "marker": found.by_source["marker"]})
    assert sum(row.n for row in rows) == len(plates)
    assert {row.worst_s for row in rows} == {row.worst_s for row in found.agreement}
