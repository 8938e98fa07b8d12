"""Scaling a table to a subject: end points, centre of mass and tensor in the segment's own axes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.anthropometry import load_table
from biomech_id.errors import MissingInputError
from biomech_id.models.table_inertia import choose_table, scale
from biomech_id.trial import Subject

THIGH = {"hip_centre": np.zeros(3), "knee_centre": np.array([0.0, -0.4, 0.0])}
FOOT = {
    "ankle_centre": np.zeros(3), "heel": np.array([-0.05, -0.07, 0.0]), "toe_tip": np.array([0.20, -0.07, 0.0]),
    "metatarsal_heads": np.array([0.13, -0.07, 0.01]), "metatarsal_2": np.array([0.13, -0.06, 0.0]),
    "lateral_malleolus": np.array([0.0, 0.0, 0.035]), "foot_axis": np.array([0.18, 0.0, 0.0]),
}  # fmt: skip


def test_a_thigh_by_de_leva() -> None:
    table, findings = choose_table("de-leva-1996", Subject(sex="male", age_years=30.0))
    assert findings == ()
    thigh = scale(table["thigh"], "R", 80.0, THIGH)
    assert thigh.length_m == pytest.approx(0.4)
    assert thigh.segment.mass_kg == pytest.approx(0.1416 * 80)
    np.testing.assert_allclose(thigh.segment.com_m, [0, -0.4095 * 0.4, 0])
    inertia = 0.1416 * 80 * 0.4**2 * np.array([0.329, 0.149, 0.329]) ** 2
    np.testing.assert_allclose(thigh.segment.inertia_kgm2, np.diag(inertia), atol=1e-15)


def test_a_foot_by_de_leva_runs_from_heel_to_toe_tip() -> None:
    table, _ = choose_table("de-leva-1996", Subject(sex="female"))
    foot = scale(table["foot"], "L", 60.0, FOOT)
    assert foot.length_m == pytest.approx(0.25)
    np.testing.assert_allclose(foot.segment.com_m, [-0.05 + 0.4014 * 0.25, -0.07, 0])


def test_a_foot_by_dumas_counts_from_the_ankle_and_is_mirrored() -> None:
    table, _ = choose_table("dumas-2007", Subject(sex="male"))
    length = np.linalg.norm(FOOT["metatarsal_heads"] - FOOT["heel"])
    right, left = (scale(table["foot"], side, 70.0, FOOT).segment for side in "RL")
    np.testing.assert_allclose(right.com_m, length * np.array([0.382, -0.151, 0.026]))
    np.testing.assert_allclose(left.com_m, right.com_m * [1, 1, -1])
    mirror = np.diag([1.0, 1.0, -1.0])
    np.testing.assert_allclose(left.inertia_kgm2, mirror @ right.inertia_kgm2 @ mirror)
    # Product xz is printed as 8i: a negative matrix entry, of the right foot.
    assert right.inertia_kgm2[0, 2] == pytest.approx(-0.012 * 70 * (0.08 * length) ** 2)


def test_conventional_axes_are_turned_into_isb_axes() -> None:
    table, _ = choose_table("conventional", Subject())
    thigh, foot = scale(table["thigh"], "L", 70.0, THIGH).segment, scale(table["foot"], "L", 70.0, FOOT).segment
    # No inertia about the long axis: ISB's Y of the thigh, X of the foot.
    assert np.diag(thigh.inertia_kgm2) == pytest.approx(7.0 * (0.323 * 0.4) ** 2 * np.array([1, 0, 1]))
    assert np.diag(foot.inertia_kgm2) == pytest.approx(0.0145 * 70 * (0.475 * 0.18) ** 2 * np.array([0, 1, 1]))
    np.testing.assert_allclose(foot.com_m, [0.09, 0, 0])


def test_the_automatic_choice_follows_what_is_known() -> None:
    assert choose_table("auto", Subject())[0].name == "dempster-winter"
    assert choose_table("auto", Subject(sex="F", age_years=40.0))[0].name == "dumas-2007"
    assert choose_table("auto", Subject(sex="F", age_years=9.0))[0].name == "jensen-1989"


@pytest.mark.parametrize(
    ("name", "age", "rule"),
    [
        ("de-leva-1996", 9.0, "adult-inertia-on-child"),
        ("jensen-1989", 45.0, "inertia-outside-ages"),
        ("jensen-1989", 2.0, "inertia-outside-ages"),
    ],
)
def test_a_table_for_other_ages_is_a_finding(name: str, age: float, rule: str) -> None:
    assert [finding.rule for finding in choose_table(name, Subject(sex="male", age_years=age))[1]] == [rule]


def test_an_end_point_the_markers_do_not_give_is_named() -> None:
    with pytest.raises(MissingInputError, match="toe_tip"):
        scale(choose_table("de-leva-1996", Subject(sex="male"))[0]["foot"], "L", 70.0, {"heel": np.zeros(3)})
    assert load_table("de-leva-1996").by_sex


def test_masses_of_an_opensim_model_replace_the_table_s(tmp_path: Path) -> None:
    bodies = {
        "torso": 60.0,
        "femur_l": 9.0,
        "tibia_l": 4.0,
        "calcn_l": 1.0,
        "femur_r": 9.0,
        "tibia_r": 4.0,
        "calcn_r": 1.0,
        "head": 12.0,
    }
    path = tmp_path / "scaled.osim"
    text = "".join(f'<Body name="{name}"><mass>{mass}</mass></Body>' for name, mass in bodies.items())
    path.write_text(f"<OpenSimDocument><Model>{text}</Model></OpenSimDocument>", encoding="utf-8")
    table, _ = choose_table(str(path), Subject(sex="male", age_years=30.0))
    assert table.name == "dumas-2007"
    thigh = scale(table["thigh"], "R", 80.0, THIGH).segment
    assert thigh.mass_kg == pytest.approx(7.2)  # 9 of 100 kg
    assert thigh.source.endswith("mass from scaled.osim")
