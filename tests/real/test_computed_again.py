"""Stored angles computed again from markers as recorded, for sessions without a static trial."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.judgement.calibration_evidence import computed_again
from biomech_id.models.conventional.model import stored_conventional_model
from biomech_id.trial import Trial
from biomech_id.trial.examination import Examined

pytestmark = pytest.mark.real
EQUAL = (
    "labs_abroad/device_tuned_rotation/walk03", "labs_abroad/device_tuned_rotation/walk05", "labs_abroad/small_child/trial",
    "swaying_static/PiG_Motion4_noFF_noHO", "knee_device/kad/PiGKad_Motion", "knee_device/kad_medial/PiGKadMed_Motion",
)  # fmt: skip


def said(trial: Trial) -> list[tuple[str, float]]:
    found = computed_again(stored_conventional_model([trial]), [trial])
    return [(each.rule, float(each.values.get("rms_deg", np.nan))) for each in found]


@pytest.mark.parametrize("recording", EQUAL)
def test_recordings_agree_with_what_they_store(recording: str, c3d_dir: Path) -> None:
    """One of them holds a second program's angles too, 9.8 degrees away at an ankle."""
    assert said(bid.read_c3d(c3d_dir / f"{recording}.c3d")) == []


def test_all_walks_of_the_norm_subjects_agree(c3d_dir: Path) -> None:
    walks = sorted((c3d_dir / "norm_subjects").glob("*/*.c3d"))
    assert len(walks) == 13
    assert [said(bid.read_c3d(path)) for path in walks] == [[]] * 13


def test_a_measurement_changed_after_processing_is_one_line(c3d_dir: Path) -> None:
    ((rule, rms_deg),) = said(bid.read_c3d(c3d_dir / "plug_in_gait/PiG_Motion-FlatFoot-One.c3d"))
    assert rule == "stored-angles-near"
    assert rms_deg == pytest.approx(0.11, abs=0.005)


@pytest.mark.parametrize(("field", "off_deg", "least_deg"), [
    ("thigh_rotation_rad", 1.0, 1.1), ("shank_rotation_rad", 1.0, 1.1), ("tibial_torsion_rad", 1.0, 0.9),
    ("static_plantar_flexion_rad", 1.0, 0.9), ("static_rotation_offset_rad", 1.0, 0.9), ("ankle_abduction_rad", 1.0, 0.25),
])  # fmt: skip
def test_one_offset_a_degree_off_is_a_warning(field: str, off_deg: float, least_deg: float, c3d_dir: Path) -> None:
    trial = bid.read_c3d(c3d_dir / "norm_subjects/NP1006/walkNorm_NP1006a12.c3d")
    changed = {side: value + np.deg2rad(off_deg) for side, value in getattr(trial.subject, field).items()}
    ((rule, rms_deg),) = said(replace(trial, subject=trial.subject.with_values("test", **{field: changed})))
    assert rule == "stored-angles-differ"
    assert least_deg <= rms_deg <= 2.0


def test_without_outputs_it_says_that_nothing_was_checked(c3d_dir: Path) -> None:
    trial = bid.read_c3d(c3d_dir / "norm_subjects/NP1006/walkNorm_NP1006a12.c3d")
    subject = trial.subject.with_values("test", marker_diameter_m=0.0095)
    assert [rule for rule, _ in said(replace(trial, model_outputs={}, subject=subject))] == ["offsets-not-checked"]


@pytest.mark.parametrize(("field", "off_deg", "rule"), [
    ("static_plantar_flexion_rad", 2.3, "foot-offset-doubtful"), ("static_plantar_flexion_rad", 4.5, "foot-offsets-off"),
    ("thigh_rotation_rad", 20.0, "thigh-offset-doubtful"),
])  # fmt: skip
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_without_outputs_the_walk_speaks_for_itself(field: str, off_deg: float, rule: str, sign: float, c3d_dir: Path) -> None:
    trial = bid.read_c3d(c3d_dir / "norm_subjects/NP1006/walkNorm_NP1006a12.c3d")
    changed = {side: value + sign * np.deg2rad(off_deg) for side, value in getattr(trial.subject, field).items()}
    subject = trial.subject.with_values("test", marker_diameter_m=0.0095, **{field: changed})
    rules = [rule for rule, _ in said(replace(trial, model_outputs={}, subject=subject))]
    assert rules[0] == "offsets-not-checked"
    assert set(rules[1:]) == {rule}


@pytest.mark.parametrize("examined", [(), (Examined(joint="hip"),), (Examined(joint="ankle"),)])
@pytest.mark.parametrize("off_deg", [{"L": 4.5, "R": 4.5}, {"L": 4.5, "R": 7.0}])
def test_two_feet_alike_are_a_warning_unless_an_examiner_knows_them(
    examined: tuple[Examined, ...], off_deg: dict[str, float], c3d_dir: Path
) -> None:
    trial = bid.read_c3d(c3d_dir / "norm_subjects/NP1006/walkNorm_NP1006a12.c3d")
    changed = {side: value + np.deg2rad(off_deg[side]) for side, value in trial.subject.static_plantar_flexion_rad.items()}
    subject = trial.subject.with_values("test", marker_diameter_m=0.0095, static_plantar_flexion_rad=changed)
    rules = [rule for rule, _ in said(replace(trial, model_outputs={}, subject=replace(subject, examination=examined)))]
    warned = off_deg["L"] == off_deg["R"] and not any(each.joint == "ankle" for each in examined)
    assert rules == ["offsets-not-checked", "foot-offsets-off" if warned else "foot-offset-doubtful"]


@pytest.mark.parametrize(
    ("footwear", "rules"),
    [("barefoot", ["offsets-not-checked", *2 * ["thigh-offset-doubtful"]]), ("shod", ["offsets-not-checked"])],
)
def test_a_run_asks_walks_with_nothing_on_the_feet(footwear: str, rules: list[str], c3d_dir: Path) -> None:
    trial = bid.read_c3d(c3d_dir / "norm_subjects/NP1006/walkNorm_NP1006a12.c3d")
    turned = {side: value + np.deg2rad(20.0) for side, value in trial.subject.thigh_rotation_rad.items()}
    subject = trial.subject.with_values("test", marker_diameter_m=0.0095, thigh_rotation_rad=turned, footwear=footwear)
    session = bid.analyse([replace(trial, model_outputs={}, subject=subject)], uncertainty=False, budget=False)
    assert [found["rule"] for found in session.summary["findings"] if found["rule"] in {*rules, "thigh-offset-doubtful"}] == rules


def test_a_foot_that_never_rests_leaves_the_other_its_word(c3d_dir: Path) -> None:
    trial = bid.read_c3d(c3d_dir / "norm_subjects/NP1006/walkNorm_NP1006a12.c3d")
    turns = 2.0 * np.pi * 8.0 * np.arange(trial.n_frames) / trial.rate_hz
    position_m, heel = trial.markers.position_m.copy(), trial.markers.names.index("LHEE")
    position_m[:, heel] += 0.02 * np.stack([np.cos(turns), np.sin(turns), np.zeros_like(turns)], axis=1)
    off = trial.subject.static_plantar_flexion_rad
    subject = trial.subject.with_values(
        "test", marker_diameter_m=0.0095, static_plantar_flexion_rad={**off, "R": off["R"] + np.deg2rad(4.0)}
    )
    shaken = replace(trial, model_outputs={}, subject=subject, markers=trial.markers.with_positions(position_m))
    doubtful = [
        (each.rule, each.values["side"], each.values["off_deg"])
        for each in computed_again(stored_conventional_model([shaken]), [shaken]) if each.rule == "foot-offset-doubtful"
    ]  # fmt: skip
    assert [(rule, side) for rule, side, _ in doubtful] == [("foot-offset-doubtful", "R")]
    assert doubtful[0][2] == pytest.approx(-4.0, abs=1.5)
