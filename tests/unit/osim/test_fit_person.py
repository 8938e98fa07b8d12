"""The fit of sizes, marker places and motion: its derivatives, what it makes of a known person, what it refuses and writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from leg_model import MODEL, walk

from biomech_id.errors import BiomechError, MissingInputError
from biomech_id.multibody.musculoskeletal import ModelMarker, MusculoskeletalModel
from biomech_id.osim.fit.agreement import Disagreement
from biomech_id.osim.fit.findings import fit_findings
from biomech_id.osim.fit.outputs import fit_files, fit_record
from biomech_id.osim.fit.person import PersonFit, fit
from biomech_id.osim.fit.places import SizedModel, Sizes, angles_of
from biomech_id.osim.fit.prior import segment_kind, size_covariance
from biomech_id.osim.scaling import scaled_model
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.trial import Markers, Trial

FACTORS = {"pelvis": 1.08, "thigh": 1.12, "shank": 1.05, "cap": 1.1}


def with_names() -> MusculoskeletalModel:
    """The leg, its knee and hip angle under names that carry skin, three more markers so that every body shows."""
    more = (ModelMarker("S3", "shank", (-0.04, -0.25, -0.03)), ModelMarker("P4", "pelvis", (-0.15, -0.05, 0.06)))
    return replace(MODEL, markers=(*MODEL.markers, *more))


def recorded(noise_m: float, n: int = 30, seed: int = 1) -> tuple[Trial, MusculoskeletalModel, np.ndarray]:
    """A trial of a person of known factors, that person's model, and the motion."""
    person = scaled_model(with_names(), FACTORS)
    q = Skeleton(person).completed(walk(n))
    places = Skeleton(person).markers(q) + noise_m * np.random.default_rng(seed).normal(size=(n, len(person.markers), 3))
    names = tuple(marker.name for marker in person.markers)
    return Trial("walk", Markers(names, places @ R_LAB_SURROUNDINGS.T, 50.0)), person, q


@pytest.fixture(scope="module")
def fitted() -> PersonFit:
    return fit(with_names(), [recorded(0.0005)[0]])


def test_derivatives_are_those_of_central_differences() -> None:
    model, rng = with_names(), np.random.default_rng(3)
    sized, M, K = SizedModel(model), len(model.markers), len(model.bodies)
    draw = rng.normal
    sizes = Sizes(0.1 * draw(size=(K, 3)), 0.02 * draw(size=(M, 3)), 0.01 * draw(size=(M, 2, 3)))
    q = sized.tree.skeleton.completed(walk(3) + 0.1)
    x = rng.normal(size=(3, M, 2))
    tree, h = sized.tree_of(sizes.z), 1e-6
    _, by_q, by_z, own = sized.places(tree, sizes, q, x)
    by_size = np.zeros((*by_z.shape[:3], len(sizes.flat)))
    by_size[..., : by_z.shape[3]] = by_z
    for m, columns in enumerate(sized.own_columns):
        by_size[:, m, :, columns] = np.moveaxis(own[:, m], 2, 0)

    def at(sizes: Sizes) -> np.ndarray:
        return sized.tree_of(sizes.z).posture(q, rows=False).points(sized.body, sized.local_m(sizes, x))

    for k in range(by_size.shape[-1]):
        step = np.zeros(by_size.shape[-1])
        step[k] = h
        # Differences of 1e-6 round at 1e-16 / 1e-6 and bend with the square of the step.
        np.testing.assert_allclose((at(sizes.moved(step)) - at(sizes.moved(-step))) / (2 * h), by_size[..., k], atol=1e-8)
    for f, column in enumerate(tree.free):
        ends = []
        for way in (h, -h):
            moved = q.copy()
            moved[:, column] += way
            ends.append(sized.places(tree, sizes, tree.skeleton.completed(moved), x)[0])
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), by_q[..., f], atol=1e-8)


def test_skin_goes_with_the_angles_of_the_marker_s_own_side() -> None:
    names = ("hip_flexion_r", "knee_angle_r", "hip_flexion_l", "knee_angle_l", "e", "f", "g", "h", "i", "j")
    markers = (ModelMarker("a", "tibia_l", (0, 0, 0)), ModelMarker("b", "torso", (0, 0, 0)))
    model: Any = SimpleNamespace(coordinate_names=names, markers=markers)
    angles = angles_of(model, walk(20))
    assert angles.column.tolist() == [[2, 3], [0, 1]]
    assert np.abs(angles.of(10 * walk(20))).max() == 2.0


def test_sizes_go_together_as_the_table_says() -> None:
    bodies = ("femur_r", "femur_l", "tibia_r", "patella_r")
    C = size_covariance(bodies)
    X, Y = 0, 1
    assert segment_kind("patella_r") == ("thigh", "r")
    assert C[X, X] == pytest.approx(0.20**2 + 0.05**2 + 0.06**2 + 0.03**2 + 0.003**2)
    assert C[Y, Y] == pytest.approx(0.20**2 + 0.05**2 + 0.03**2 + 0.003**2)
    assert C[X, 3 + X] == pytest.approx(0.20**2 + 0.05**2 + 0.06**2)
    assert C[X, 6 + X] == pytest.approx(0.20**2)
    assert C[Y, 9 + Y] == pytest.approx(0.20**2 + 0.05**2 + 0.03**2)
    assert np.linalg.eigvalsh(C).min() > 0


def test_a_known_person_comes_out(fitted: PersonFit) -> None:
    _, person, q = recorded(0.0005)
    assert fitted.converged
    motion = fitted.motions[0]
    ours, theirs = (Skeleton(model).pose(p) for model, p in ((fitted.model, motion.q), (person, q)))
    shank = Skeleton(person).body_index("shank")
    apart = np.linalg.norm(ours.origin_m[:, shank] - theirs.origin_m[:, shank], axis=1)
    # Places are a priori unknown by 10 to 40 mm an axis; what remains at the knee is a tenth of the thigh's error without a fit.
    assert np.sqrt(np.mean(apart**2)) < 0.02
    assert motion.rms_m < 0.002
    knee = person.index("knee")
    assert np.all(np.abs(motion.q[:, knee] - q[:, knee]) < 3 * motion.sd[:, knee] + 1e-3)
    assert np.all(motion.sd[:, person.index("cap_turn")] > 0)


def test_order_of_trials_does_not_matter() -> None:
    trials = [replace(recorded(0.001, seed=seed)[0], name=f"walk{seed}") for seed in (1, 2)]
    one, other = fit(with_names(), trials), fit(with_names(), trials[::-1])
    # Sums in another order round otherwise, and the steps end 3e-3 from where they would go: equal to 1e-6 of a factor.
    np.testing.assert_allclose(one.factors, other.factors, atol=1e-6)


def test_a_frame_without_markers_stays_empty() -> None:
    trial, _, _ = recorded(0.001)
    places = np.array(trial.markers.position_m)
    places[4] = np.nan
    motion = fit(with_names(), [replace(trial, markers=replace(trial.markers, position_m=places, filled=None))]).motions[0]
    assert np.isnan(motion.q[4]).all()
    assert np.isnan(motion.sd[4]).all()
    assert np.isfinite(motion.q[5]).all()


def test_what_the_data_do_not_show_is_said(fitted: PersonFit) -> None:
    share = dict(zip(fitted.bodies, fitted.data_share, strict=True))
    # The thigh lies between two joints; of the cap one marker is seen.
    assert share["cap"].max() < 0.3 < share["thigh"][1]


def test_findings_name_the_marker(fitted: PersonFit) -> None:
    assert fit_findings(fitted) == ()
    z = np.where(np.arange(len(fitted.place_z)) == 2, 2.5, fitted.place_z)
    wrong = replace(fitted, place_z=z, bony=np.ones(len(z), bool))
    assert [finding.where for finding in fit_findings(wrong)] == ["P3"]
    assert "P3" in fit_findings(wrong)[0].message
    assert fit_record(wrong, fit_findings(wrong))["markers"]["P3"]["verdict"] == "misplaced"
    uneven = replace(fitted, lengths_m={"thigh_r": (0.40, 0.006), "thigh_l": (0.38, 0.006)}, size_chi2=6.5, converged=False)
    assert [finding.rule for finding in fit_findings(uneven)] == ["fit-not-converged", "fit-size-unlikely", "fit-sides-differ"]


def test_trials_that_disagree_are_named(fitted: PersonFit) -> None:
    apart = Disagreement(("walk", "squat"), "hip_r y", -0.017, 0.005)
    findings = fit_findings(replace(fitted, disagreements=(apart, replace(apart, apart_m=0.014))))
    assert [(finding.rule, finding.values["apart_mm"]) for finding in findings] == [("fit-trials-disagree", 17.0)]
    assert "disagree on the place of the right hip centre in the pelvis (upwards) by 17 mm" in findings[0].message
    assert "bei dem Ort der rechten Hüftmitte im Becken (nach oben) um 17 mm uneins" in findings[0].text("de")


def test_samples_thrown_out_are_counted() -> None:
    trial, _, _ = recorded(0.001)
    places = np.array(trial.markers.position_m)
    places[3, 4] += 0.3
    far = fit(with_names(), [replace(trial, markers=replace(trial.markers, position_m=places, filled=None))])
    assert far.motions[0].weight[3, 4] < 0.1 < far.motions[0].weight[4, 4]
    assert [finding.values["marker"] for finding in fit_findings(far)] == ["T2"]


def test_what_software_computed_is_no_marker() -> None:
    """A joint centre of a file is made of the file's markers: it would count them twice."""
    trial, *_ = recorded(0.001)
    model = with_names()
    more = ("R_HJC", "L.KneeJoint", "R.HeelGround")
    names, centre = (*trial.markers.names, *more), trial.markers.position_m[:, :1]
    both = replace(trial, markers=Markers(names, np.concatenate([trial.markers.position_m, *3 * [centre]], axis=1), 50.0))
    centres = tuple(ModelMarker(name, "thigh", (0.0, 0.0, 0.0)) for name in more)
    fitted = fit(replace(model, markers=(*model.markers, *centres)), [both])
    assert [marker.name for marker in fitted.model.markers] == [marker.name for marker in model.markers]


def test_a_part_without_markers_is_said() -> None:
    """As after an amputation: no marker on the shank."""
    trial, *_ = recorded(0.001)
    body = {marker.name: marker.body for marker in with_names().markers}
    keep = [k for k, name in enumerate(trial.markers.names) if body[name] == "pelvis" or body[name] == "thigh"]
    markers = Markers(tuple(trial.markers.names[k] for k in keep), trial.markers.position_m[:, keep], 50.0)
    findings = fit_findings(fit(with_names(), [replace(trial, markers=markers)]))
    (names,) = (finding.values["names"] for finding in findings if finding.rule == "fit-coordinates-unseen")
    assert "knee" in names


def test_a_marker_less_changes_little(fitted: PersonFit) -> None:
    trial, *_ = recorded(0.0005)
    keep = [k for k, name in enumerate(trial.markers.names) if name != "T2"]
    markers = Markers(tuple(trial.markers.names[k] for k in keep), trial.markers.position_m[:, keep], 50.0)
    fewer = fit(with_names(), [replace(trial, markers=markers)])
    assert "T2" not in [marker.name for marker in fewer.model.markers]
    assert np.all(np.abs(np.log(fewer.factors / fitted.factors)) < fitted.factor_sd)


def test_refusals_name_what_is_missing(tmp_path: Path) -> None:
    trial = recorded(0.001)[0]
    with pytest.raises(MissingInputError, match="No trial"):
        fit(with_names(), [])
    renamed = replace(trial, markers=replace(trial.markers, names=tuple(f"x{name}" for name in trial.markers.names)))
    with pytest.raises(MissingInputError, match="the recordings have 0 by name"):
        fit(with_names(), [renamed])
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BiomechError, match="is not what an earlier fit wrote"):
        fit_files(tmp_path / "m.osim", [tmp_path / "a.trc"], tmp_path)
    with pytest.raises(BiomechError, match="Two recordings are called a"):
        fit_files(tmp_path / "m.osim", [tmp_path / "a.trc", tmp_path / "b" / "a.c3d"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_record_is_json(fitted: PersonFit) -> None:
    from biomech_id.files.json_text import json_text

    record = json.loads(json_text(fit_record(fitted, ())))
    assert record["bodies"]["thigh"]["from_data"][1] is True
    assert record["trials"]["walk"]["frames"] == 30
