"""A sample of ``benchmarks.studies.healthy_knees``, whose table lies beside it: knee axes of healthy legs (issue S, case 11)."""

from __future__ import annotations

import re

import pytest
from sessions import Sessions

from benchmarks.studies.healthy_knees import SHARE, TABLE, Leg, limit
from biomech_id.models.joint_centres.knee_axis_walk import HEALTHY_SLOPE, beyond_healthy

pytestmark = pytest.mark.real


def legs() -> dict[tuple[str, str], Leg]:
    """The legs of the committed table."""
    rows = re.findall(r"^\| (\w+) \| ([LR])" + r" \| (\S+)" * 6 + r" \| ([\w ]+) \|$", TABLE.read_text(encoding="utf-8"), re.M)
    return {(who, side): Leg(who, side, *map(float, numbers), evidence) for who, side, *numbers, evidence in rows}


def test_the_limit_is_what_the_committed_legs_say() -> None:
    every = list(legs().values())
    assert len(every) >= 24
    assert limit(every) <= HEALTHY_SLOPE
    silent = [not beyond_healthy(leg.slope, leg.correlation) for leg in every]
    assert sum(silent) / len(silent) >= SHARE
    assert sum(leg.varus_range_deg > 10.0 for leg in every) > 0.5 * len(every)  # healthy knees do show varus
    evidence = [leg.evidence for leg in every]
    assert evidence.count("wide") == 0
    assert evidence.count("turned") <= 1
    assert evidence.count("follows") <= 0.15 * len(every)


#: Limb -> range, slope, correlation, turn and its error of a prototype outside the project, walks of a session pooled.
REFERENCE = {
    ("HC030A", "L"): (8.8, 0.12, 0.76, 9.5, 3.4), ("HC030A", "R"): (18.6, 0.30, 0.91, 21.2, 8.4),
    ("HC031A", "L"): (16.9, -0.28, -0.83, -24.2, 9.6), ("HC036A", "L"): (17.8, -0.26, -0.84, -17.6, 6.2),
    ("NP1003", "R"): (24.1, 0.23, 0.65, 19.9, 3.7), ("NP1022", "R"): (22.2, -0.37, -0.82, -26.4, 5.1),
    ("NP1027", "R"): (19.2, -0.28, -0.89, -19.0, 6.0),
}  # fmt: skip


@pytest.mark.parametrize(("who", "side"), REFERENCE)
def test_limbs_have_the_reference_figures(who: str, side: str) -> None:
    """The reference is of markers as recorded, these of markers that were filtered."""
    leg = legs()[who, side]
    range_deg, slope, correlation, turn_deg, error_deg = REFERENCE[who, side]
    assert leg.varus_range_deg == pytest.approx(range_deg, abs=1.0)
    assert leg.slope == pytest.approx(slope, abs=0.01)
    assert leg.correlation == pytest.approx(correlation, abs=0.03)
    assert leg.turn_deg == pytest.approx(turn_deg, abs=1.0)
    assert leg.error_deg == pytest.approx(error_deg, abs=0.5)


@pytest.mark.parametrize("who", ["HC030A", "HC033A"])
def test_a_child_walks_as_the_table_says(sessions: Sessions, who: str) -> None:
    sides = sessions[f"children/{who}"].tables.calibration["sides"]
    for side, said in sides.items():
        leg = legs()[who, side]
        assert said["knee_varus_slope"] == pytest.approx(leg.slope, abs=2e-3)
        assert said["knee_varus_correlation"] == pytest.approx(leg.correlation, abs=2e-2)
        assert said["knee_varus_range_deg"] == pytest.approx(leg.varus_range_deg, abs=0.2)


def test_no_healthy_child_is_told_of_a_turned_axis(sessions: Sessions) -> None:
    named = [
        f"{name} {finding.values['side']}"
        for name in sessions
        if name.startswith("children/") and sessions[name].ran
        for finding in sessions[name].result.findings
        if finding.rule == "knee-axis-turned"
    ]
    assert named == []
