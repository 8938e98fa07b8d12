"""Setups, scalings and models with something that tools pass over, or that no person has, are named; what fits has no sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.functions import ScaledFunction, simm_spline
from biomech_id.multibody.musculoskeletal import (
    Measurement,
    ModelBody,
    ModelCoordinate,
    ModelJoint,
    ModelMarker,
    MusculoskeletalModel,
    OffsetFrame,
    TransformAxis,
)
from biomech_id.osim.document.document_remarks import document_remarks, turned_remarks
from biomech_id.osim.document.setups import ScalerSetup
from biomech_id.osim.model_remarks import model_remarks
from biomech_id.osim.scale_remarks import scaler_remarks, size_remarks
from biomech_id.osim.skeleton.skeleton import Skeleton

SETUP = """<OpenSimDocument><InverseKinematicsTool name="walk"><model_file>m.osim</model_file><marker_file>w.trc</marker_file>
<report_errors>true</report_errors><IKTaskSet><objects><IKMarkerTask name="P1"><apply>true</apply><weight>1</weight></IKMarkerTask>
<IKMarkerTask name="P2"><weight>1</weight></IKMarkerTask></objects></IKTaskSet></InverseKinematicsTool></OpenSimDocument>"""
SCALES = """<ScaleTool><ModelScaler><MeasurementSet><objects><Measurement name="thigh"><BodyScaleSet><objects>
<BodyScale name="thigh"><axes> X Y Z </axes></BodyScale></objects></BodyScaleSet></Measurement></objects></MeasurementSet>
</ModelScaler></ScaleTool>"""


def remarks_on(text: str, tmp_path: Path) -> list[str]:
    path = tmp_path / "setup.xml"
    path.write_text(text, encoding="utf-8")
    return list(document_remarks(path))


def test_what_is_known_has_no_remark(tmp_path: Path) -> None:
    assert remarks_on(SETUP, tmp_path) == remarks_on(SCALES, tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("marker_file", "markers_file", "markers_file in InverseKinematicsTool walk, which does not know it"),
        (
            "<report_errors>",
            "<report_errors>0</report_errors><report_errors>",
            "report_errors 2 times in InverseKinematics",
        ),
        ('"P2"', '"P1"', "IKMarkerTask P1 2 times in one IKTaskSet: the first counts"),
        ("<apply>true", "<apply>perhaps", "'perhaps' for apply in IKMarkerTask P1: it is taken for false"),
    ],
)
def test_what_is_passed_over_is_named(old: str, new: str, told: str, tmp_path: Path) -> None:
    (remark,) = remarks_on(SETUP.replace(old, new), tmp_path)
    assert told in remark


@pytest.mark.parametrize("axes", ["X Y W", ""])
def test_axes_that_are_none_are_named(axes: str, tmp_path: Path) -> None:
    (remark,) = remarks_on(SCALES.replace(" X Y Z ", axes), tmp_path)
    assert f"{axes!r} for the axes of BodyScale thigh" in remark


def body(name: str, mass_kg: float, com: tuple[float, float, float], moments: tuple[float, float, float]) -> ModelBody:
    return ModelBody(name, mass_kg, np.array(com), np.diag(moments))


SHANK_AT = np.array([0.0, -0.4, 0.0])
LEG = MusculoskeletalModel(
    "leg",
    (body("thigh", 8.0, (0.0, -0.17, 0.0), (0.13, 0.03, 0.13)), body("shank", 3.5, (0.0, -0.2, 0.0), (0.05, 0.005, 0.05))),
    (
        ModelJoint("hip", "pin", OffsetFrame("ground"), OffsetFrame("thigh"), ("hip",)),
        ModelJoint("knee", "pin", OffsetFrame("thigh", place_m=SHANK_AT), OffsetFrame("shank"), ("knee",)),
    ),
    (ModelCoordinate("hip", "hip", "rotational"), ModelCoordinate("knee", "knee", "rotational")),
    markers=(ModelMarker("HIP", "thigh", np.zeros(3)), ModelMarker("ANKLE", "shank", np.array([0.0, -0.4, 0.0]))),
)


def of_thigh(**changes: float | FloatArray) -> MusculoskeletalModel:
    return replace(LEG, bodies=(replace(LEG.bodies[0], **changes), LEG.bodies[1]))  # type: ignore[arg-type]


def remarks_on_model(model: MusculoskeletalModel) -> list[str]:
    return list(model_remarks(Skeleton(model), "leg.osim"))


def test_a_leg_has_no_remark() -> None:
    assert remarks_on_model(LEG) == []


@pytest.mark.parametrize(
    ("model", "told"),
    [
        pytest.param(replace(LEG, gravity_m_s2=np.array([0.0, 0.0, -9.80665])), "gravity of leg.osim is (0, 0, -9.80665)", id="z"),
        pytest.param(replace(LEG, gravity_m_s2=np.zeros(3)), "gravity of leg.osim is (0, 0, 0)", id="no gravity"),
        pytest.param(of_thigh(inertia_kgm2=np.diag([1300.0, 300.0, 1300.0])), "do not fit each other", id="kg cm2"),
        pytest.param(of_thigh(inertia_kgm2=np.zeros((3, 3))), "do not fit each other", id="no inertia"),
        pytest.param(of_thigh(inertia_kgm2=np.diag([0.3, 0.1, 0.1])), "inertia that no body has", id="triangle"),
        pytest.param(of_thigh(inertia_kgm2=np.diag([0.13, -0.01, 0.13])), "inertia that no body has", id="negative"),
        pytest.param(of_thigh(mass_kg=0.0), "inertia without mass: thigh", id="no mass"),
        pytest.param(of_thigh(com_m=np.array([0.0, 0.17, 0.0])), "beyond the joints of its body: thigh", id="mirrored"),
        pytest.param(
            of_thigh(inertia_kgm2=np.diag([0.03, 0.13, 0.13])), "about the line from joint to mass centre: thigh", id="axes"
        ),
        pytest.param(
            replace(LEG, bodies=(LEG.bodies[0], replace(LEG.bodies[1], com_m=np.zeros(3)))),
            "at its joint: shank",
            id="at the joint",
        ),
    ],
)
def test_what_no_leg_has_is_named(model: MusculoskeletalModel, told: str) -> None:
    (remark,) = remarks_on_model(model)
    assert told in remark


def sided(side: str, **changes: float | FloatArray) -> MusculoskeletalModel:
    """A leg whose names end so."""
    leg = of_thigh(**changes)
    bodies = tuple(replace(each, name=f"{each.name}_{side}") for each in leg.bodies)
    joints = tuple(
        replace(
            each, name=f"{each.name}_{side}", coordinates=(f"{each.name}_{side}",),
            parent=replace(each.parent, body="ground" if each.parent.body == "ground" else f"{each.parent.body}_{side}"),
            child=replace(each.child, body=f"{each.child.body}_{side}"),
        )
        for each in leg.joints
    )  # fmt: skip
    coordinates = tuple(replace(each, name=f"{each.name}_{side}", joint=f"{each.joint}_{side}") for each in leg.coordinates)
    return replace(leg, bodies=bodies, joints=joints, coordinates=coordinates, markers=())


def on_both_sides(right: MusculoskeletalModel, left: MusculoskeletalModel) -> MusculoskeletalModel:
    """Two legs in one model."""
    return replace(
        right, bodies=(*right.bodies, *left.bodies), joints=(*right.joints, *left.joints),
        coordinates=(*right.coordinates, *left.coordinates),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, False),
        ({"mass_kg": 9.0}, False),
        ({"mass_kg": 11.0}, True),
        ({"com_m": np.array([0.0, -0.19, 0.0])}, False),
        ({"com_m": np.array([0.0, -0.21, 0.0])}, True),
        ({"inertia_kgm2": np.diag([0.3, 0.03, 0.3])}, True),
    ],
)
def test_what_the_other_side_does_not_have_is_named(changes: dict[str, float | FloatArray], told: bool) -> None:
    remarks = remarks_on_model(on_both_sides(sided("r"), sided("l", **changes)))
    assert [remark.split(": ")[1] for remark in remarks] == ["thigh_r, thigh_l. Compare units and signs."] * told
    assert all("that its other side does not have" in remark for remark in remarks)


@pytest.mark.parametrize(
    ("factors", "mass_kg", "told"),
    [
        ({"thigh": np.full(3, 1.1), "shank": np.array([0.9, 1.1, 1.2])}, 12.0, ""),
        ({"thigh": np.full(3, 1.1)}, 12.0, "Nothing scales shank along all three axes"),
        ({"thigh": np.full(3, 1.1), "shank": np.array([0.9, 1.0, 1.2])}, 12.0, "Nothing scales shank along all three axes"),
        ({"thigh": np.full(3, 1.1), "shank": np.full(3, 1.1)}, 1.2, "A mass of 1.2 kg is 0.078 of what leg weighs"),
        ({}, 1.2, ""),
        # Without a mass, however small the person.
        ({"thigh": np.full(3, 0.5), "shank": np.full(3, 0.5)}, None, ""),
        # Nothing changes its size, or an axis of all is left out.
        ({"thigh": np.ones(3)}, 12.0, ""),
        ({"thigh": np.array([1.05, 1.05, 1.0]), "shank": np.array([1.02, 1.05, 1.0])}, 12.0, ""),
    ],
)
def test_bodies_and_masses_that_keep_another_size_are_named(
    factors: dict[str, FloatArray], mass_kg: float | None, told: str
) -> None:
    remarks = list(size_remarks(LEG, factors, mass_kg))
    assert [told in remark for remark in remarks] == ([True] if told else [])


def test_masses_in_grams_and_lengths_in_millimetres_are_named() -> None:
    heavy, unfit = remarks_on_model(of_thigh(mass_kg=8000.0))
    assert "weigh 8004 kg" in heavy
    assert "do not fit each other" in unfit
    assert "more than a metre" in remarks_on_model(of_thigh(com_m=np.array([0.0, -170.0, 0.0])))[0]


MEASURED = (Measurement("leg", (("HIP", "ANKLE"),), (("thigh", "XYZ"),)),)
SCALER = ScalerSetup(("measurements", "manualScale"), MEASURED, (("shank", (1.1, 1.1, 1.1)),), None, (0.0, 1.0), True, "", "")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(
            lambda s: replace(s, order=("measurments", "manualScale")), "does not know measurments, measurements", id="misspelt"
        ),
        pytest.param(lambda s: replace(s, order=()), "does not know measurements, manualScale", id="no order"),
        pytest.param(lambda s: replace(s, manual=(("toe", (1.0, 1.0, 1.0)),)), "leg does not have: toe", id="a factor's body"),
        pytest.param(
            lambda s: replace(s, measurements=(replace(MEASURED[0], bodies=(("toe", "X"),)),)),
            "does not have: toe",
            id="a scaled body",
        ),
    ],
)
def test_what_a_scaling_does_not_reach_is_named(change: Callable[[ScalerSetup], ScalerSetup], told: str) -> None:
    assert list(scaler_remarks(LEG, SCALER)) == []
    (remark,) = scaler_remarks(LEG, change(SCALER))
    assert told in remark


def test_a_marker_that_is_two_joints_from_the_scaled_body_is_named() -> None:
    foot = body("foot", 1.0, (0.05, 0.0, 0.0), (0.001, 0.004, 0.004))
    ankle = ModelJoint("ankle", "weld", OffsetFrame("shank", place_m=SHANK_AT), OffsetFrame("foot"), ())
    markers = (LEG.markers[0], ModelMarker("ANKLE", "foot", np.zeros(3)))
    longer = replace(LEG, bodies=(*LEG.bodies, foot), joints=(*LEG.joints, ankle), markers=markers)
    (remark,) = scaler_remarks(longer, SCALER)
    assert remark == "The measurement leg has markers away from the bodies that it scales: ANKLE."


@pytest.mark.parametrize(
    ("pair", "scaled", "told"),
    [
        ("RL", ("shank_r", "shank_l"), True), ("RL", ("shank_r",), False), ("RL", ("thigh_r",), False),
        ("RT", ("shank_r", "thigh_r"), False),
    ],
)  # fmt: skip
def test_a_pair_of_markers_across_the_body_that_scales_both_sides_is_named(pair: str, scaled: tuple[str, ...], told: bool) -> None:
    """Widths between the sides scale what lies between, or one side alone."""
    bodies = {"R": "shank_r", "L": "shank_l", "T": "thigh_r"}
    markers = tuple(ModelMarker(name, body, np.zeros(3)) for name, body in bodies.items())
    both = replace(on_both_sides(sided("r"), sided("l")), markers=markers)
    measured = (Measurement("width", ((pair[0], pair[1]),), tuple((name, "XYZ") for name in scaled)),)
    remarks = [line for line in scaler_remarks(both, replace(SCALER, measurements=measured, manual=())) if "across" in line]
    assert remarks == ["The measurement width goes across the body and scales both sides: R and L."] * told


@pytest.mark.parametrize(("length_m", "com_m", "told"), [(0.0, -0.17, True), (-0.4, -0.17, False), (0.0, -0.05, False)])
def test_a_limb_whose_joints_are_at_one_place_has_no_length(length_m: float, com_m: float, told: bool) -> None:
    """A short body may be between two joints that are almost one, as in an ankle."""
    knee = replace(LEG.joints[1], parent=OffsetFrame("thigh", place_m=np.array([0.0, length_m, 0.0])))
    leg = replace(of_thigh(com_m=np.array([0.0, com_m, 0.0])), joints=(LEG.joints[0], knee))
    remarks = [line for line in remarks_on_model(leg) if "no length" in line]
    assert remarks == ["leg.osim has no length, though its mass centre is off its joints: thigh. Compare units and signs."] * told


@pytest.mark.parametrize(
    ("unit", "motion", "told"), [(1.0, "rotational", False), (180.0 / np.pi, "rotational", True), (60.0, "translational", False)]
)
def test_functions_of_angles_in_degrees_are_named(unit: float, motion: str, told: bool) -> None:
    bends = ScaledFunction(1.1, simm_spline(unit * np.array([-2.0, -1.0, 0.0, 1.0]), np.array([0.0, 0.01, 0.02, 0.01])))
    knee = replace(LEG.joints[1], kind="custom", translations=(TransformAxis("knee", (1.0, 0.0, 0.0), bends),))
    coordinates = (LEG.coordinates[0], replace(LEG.coordinates[1], motion=motion))  # type: ignore[arg-type]
    remarks = [
        line for line in remarks_on_model(replace(LEG, joints=(LEG.joints[0], knee), coordinates=coordinates)) if "turn" in line
    ]
    assert [line.startswith("leg.osim has functions of angles beyond a whole turn") for line in remarks] == [True] * told


@pytest.mark.parametrize(("turn", "told"), [("0 0 1.57", False), ("0 -6.3 0", True), ("0 0 90", True)])
def test_frames_that_are_turned_by_degrees_are_named(turn: str, told: bool) -> None:
    frame = f'<PhysicalOffsetFrame name="thigh_offset"><orientation>{turn}</orientation></PhysicalOffsetFrame>'
    model = fromstring(f"<Model><JointSet><objects><PinJoint><frames>{frame}</frames></PinJoint></objects></JointSet></Model>")
    remarks = list(turned_remarks(model, "leg.osim"))
    assert [line.startswith("leg.osim turns PhysicalOffsetFrame thigh_offset by more than") for line in remarks] == [True] * told
