"""Events from markers alone against the force of trusted contacts, in recordings of seven laboratories.

The gate is two frames at 100 Hz for the median and five for 95 %. Against the force, which does not scatter as events set by hand
do, they are held to half of that.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.gait.events import event_agreement, search_events
from biomech_id.readers import read_c3d
from biomech_id.trial import Event, EventKind

LABORATORIES = {
    "children": ["children/*/HC*.c3d"],
    "opensim": ["opensim/walking*.c3d"],
    "plug_in_gait": ["plug_in_gait/PiG_Motion3_FF.c3d", "plug_in_gait/PiG_Motion-FlatFoot-One.c3d"],
    "bts": ["vendors/BTS.c3d"],
    "qualisys": ["vendors/Qualisys.c3d"],
    "ademo": ["others/ADemo1_rewrite_c3d_pc_integer.c3d"],
    "bmc": ["walking/bmc_gait.c3d"],
}


def _lags_ms(path: Path) -> dict[EventKind, list[float]]:
    """Marker minus force, for every trusted plate event."""
    found = search_events(read_c3d(path, trust=True))
    lags: dict[EventKind, list[float]] = {kind: [] for kind in EventKind}
    for event in found.by_source.get("plate", ()):
        if event not in found.rejected:
            same = [e for e in found.by_source["marker"] if (e.side, e.kind) == (event.side, event.kind)]
            lags[event.kind].append(1e3 * min((e.time_s - event.time_s for e in same), key=abs))
    return lags


@pytest.fixture(scope="module")
def lags_ms(c3d_dir) -> dict[str, dict[EventKind, np.ndarray]]:
    found = {}
    for laboratory, patterns in LABORATORIES.items():
        per_file = [_lags_ms(path) for pattern in patterns for path in sorted(c3d_dir.glob(pattern))]
        found[laboratory] = {
            kind: np.array([lag for lags in per_file for lag in lags[kind]]) for kind in (EventKind.FOOT_STRIKE, EventKind.FOOT_OFF)
        }
    return found


@pytest.mark.parametrize("kind", [EventKind.FOOT_STRIKE, EventKind.FOOT_OFF])
def test_in_every_laboratory_the_median_lies_within_two_frames(lags_ms, kind):
    for laboratory, lags in lags_ms.items():
        assert len(lags[kind]) >= 1, laboratory
        assert abs(np.median(lags[kind])) <= 20.0, (laboratory, lags[kind])


@pytest.mark.parametrize("kind", [EventKind.FOOT_STRIKE, EventKind.FOOT_OFF])
def test_over_all_laboratories(lags_ms, kind):
    lags = np.abs(np.concatenate([found[kind] for found in lags_ms.values()]))
    assert len(lags) >= 30
    assert np.median(lags) <= 10.5
    assert np.mean(lags <= 25.0) >= 0.95


def test_the_lags_here_are_those_the_agreement_tables_show(c3d_dir):
    """Two ways to the same number: medians per side and kind from `event_agreement`, and from the events themselves."""
    found = search_events(read_c3d(c3d_dir / "vendors" / "BTS.c3d", trust=True))
    plates: list[Event] = list(found.by_source["plate"])
    rows = event_agreement({"plate": plates, "marker": found.by_source["marker"]})
    assert sum(row.n for row in rows) == len(plates)
    assert {row.worst_s for row in rows} == {row.worst_s for row in found.agreement}
