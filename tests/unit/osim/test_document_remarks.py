"""Setups, scalings and models with something that tools pass over, or that no person has, are named; what fits has no sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.musculoskeletal import (
    Measurement,
    ModelBody,
    ModelCoordinate,
    ModelJoint,
    ModelMarker,
    MusculoskeletalModel,
    OffsetFrame,
)
from biomech_id.osim.document.document_remarks import document_remarks
from biomech_id.osim.document.setups import ScalerSetup
from biomech_id.osim.model_remarks import model_remarks
from biomech_id.osim.scale_remarks import scaler_remarks
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
    ],
)
def test_what_no_leg_has_is_named(model: MusculoskeletalModel, told: str) -> None:
    (remark,) = remarks_on_model(model)
    assert told in remark


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
