"""Functional trials inside the model: they overrule the regression, and what cannot be used is refused in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.conventions import SIDES
from biomech_id.errors import InvalidValueError, MissingInputError, OptionError, Severity
from biomech_id.markersets import load_markerset
from biomech_id.models.six_dof.model import SixDofModel, six_dof_model
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.cover import unlike_legs
from biomech_id.sample import SampleTrial, VirtualSubject, virtual_subject
from biomech_id.trial import Markers, Trial

N_FRAMES = 200


@pytest.fixture(scope="module")
def static() -> SampleTrial:
    return virtual_subject(clusters=True).static()


def below_hip(side: str) -> tuple[str, ...]:
    return tuple(side + name for name in ("TH1", "TH2", "TH3", "TH4", "KNE", "KNM", "THI"))


def below_knee(side: str) -> tuple[str, ...]:
    names = ("TB1", "TB2", "TB3", "TB4", "TIB", "ANK", "ANM", "HEE", "TOE", "MT1", "MT5")
    return tuple(side + name for name in names)


def star_arc_with_knee_bends(
    static: SampleTrial, sides: tuple[str, ...] = SIDES, *, share: float = 1.0, below_m: float = 0.0
) -> Trial:
    """Each leg circles about its true hip, or a point below it, and its shank bends about the true line through the epicondyles."""
    markers, start = static.trial.markers, static.trial.markers.position_m[0]
    place = {name: np.broadcast_to(start[i], (N_FRAMES, 3)) for i, name in enumerate(markers.names)}
    phase = 2 * np.pi * np.arange(N_FRAMES) / N_FRAMES
    for side in sides:
        hip = static.truth.joint_centres_lab_m[side, "hip"][0] - [0.0, 0.0, below_m]
        knee = static.truth.joint_centres_lab_m[side, "knee"][0]
        axis = place[side + "KNM"][0] - place[side + "KNE"][0]
        bend = Rotation.from_rotvec(0.5 * share * (1 - np.cos(2 * phase))[:, None] * axis / np.linalg.norm(axis))
        swing = Rotation.from_euler(
            "XY", 0.5 * share * np.sin(4 * phase)[:, None] * np.stack([np.cos(phase), np.sin(phase)], axis=1)
        )
        for name in below_knee(side):
            place[name] = bend.apply(place[name] - knee) + knee
        for name in below_hip(side) + below_knee(side):
            place[name] = swing.apply(place[name] - hip) + hip
    return Trial("star-arc" + "-".join(sides), Markers(markers.names, np.stack(list(place.values()), axis=1), markers.rate_hz))


def test_a_functional_trial_finds_the_true_hips_and_knees(static: SampleTrial) -> None:
    plain = six_dof_model(static.trial)
    model = six_dof_model(static.trial, functional=(star_arc_with_knee_bends(static),))
    motion = model.track(static.trial)
    for side in SIDES:
        assert "Harrington" in plain.calibration.methods[side, "hip"]
        assert "SCoRE" in model.calibration.methods[side, "hip"]
        assert "SARA" in model.calibration.methods[side, "knee"]
        for joint in ("hip", "knee"):
            truth = static.truth.joint_centres_lab_m[side, joint]
            np.testing.assert_allclose(motion.joint_centres_lab_m[side, joint], truth, atol=1e-9)
            off = plain.track(static.trial).joint_centres_lab_m[side, joint] - truth
            assert joint == "knee" or np.abs(off).max() > 5e-3  # the regression was somewhere else
        written = model.calibration.to_dict()["sides"][side]
        assert "SCoRE" in written["hip_centre_method"]
    assert not [finding for finding in model.findings if finding.rule == "functional-too-small"]


@pytest.mark.parametrize(("method", "says"), [("score", "SCoRE"), ("sphere", "sphere fit")])
def test_a_functional_method_can_be_chosen(static: SampleTrial, method: str, says: str) -> None:
    model = six_dof_model(static.trial, functional=(star_arc_with_knee_bends(static),), hip=method)
    for side in SIDES:
        assert says in model.calibration.methods[side, "hip"]
        found = model.track(static.trial).joint_centres_lab_m[side, "hip"]
        np.testing.assert_allclose(found, static.truth.joint_centres_lab_m[side, "hip"], atol=1e-6)
    with pytest.raises(MissingInputError, match=f"hip centre cannot be found .{method}."):
        six_dof_model(static.trial, hip=method)


def test_a_functional_trial_without_motion_changes_nothing_and_says_so(static: SampleTrial) -> None:
    model = six_dof_model(static.trial, functional=(static.trial,))
    assert "Harrington" in model.calibration.methods["L", "hip"]
    rules = [finding.rule for finding in model.findings]
    assert rules.count("functional-too-small") == 4  # hips and knees of both sides


@pytest.mark.parametrize("method", ["davis", "bell", "harrington", "hara"])
def test_a_hip_method_can_be_chosen(static: SampleTrial, method: str) -> None:
    model = six_dof_model(static.trial, hip=method)
    chosen = model.calibration.templates["", "pelvis"].points_m["R hip_centre"]
    np.testing.assert_allclose(chosen, model.calibration.hip_candidates_m["R"][method], atol=1e-12)


def hidden(trial: Trial, *names: str) -> Trial:
    position = trial.markers.position_m.copy()
    position[:, [trial.markers.names.index(name) for name in names]] = np.nan
    return replace(trial, markers=trial.markers.with_positions(position))


def test_everything_that_is_missing_is_named_at_once(static: SampleTrial) -> None:
    trial = hidden(static.trial, "LKNM", "RHEE", "LPSI")
    with pytest.raises(MissingInputError) as refusal:
        six_dof_model(trial, replace(static.trial.subject, mass_kg=None), markerset="cast")
    for words in ("left medial epicondyle (LME)", "right heel (RCA)", "posterior spines", "body mass"):
        assert words in refusal.value.message


def test_one_leg_alone_is_served(static: SampleTrial) -> None:
    left = [name for name in static.trial.markers.names if name[0] == "L" and name not in ("LASI", "LPSI")]
    model = six_dof_model(hidden(static.trial, *left), markerset="cast")
    assert model.calibration.sides == ("R",)
    assert model.track(hidden(static.trial, *left)).sides == ("R",)


def test_a_cluster_on_a_line_is_refused(static: SampleTrial) -> None:
    position = static.trial.markers.position_m.copy()
    names = static.trial.markers.names
    first, second = (position[:, names.index(name)] for name in ("LTH1", "LTH2"))
    for i, name in enumerate(("LTH3", "LTH4")):
        position[:, names.index(name)] = first + (0.4 + 0.2 * i) * (second - first)
    with pytest.raises(InvalidValueError, match="lie on a line"):
        six_dof_model(replace(static.trial, markers=static.trial.markers.with_positions(position)))


def test_one_leg_moved_leaves_both_to_the_markers_and_a_file_for_each_mends_it(static: SampleTrial) -> None:
    left, right = (star_arc_with_knee_bends(static, (side,)) for side in SIDES)
    one = six_dof_model(static.trial, functional=(left,))
    said = {finding.values["joint"]: finding for finding in one.findings if finding.rule == "functional-one-side"}
    assert {joint: finding.values["side"] for joint, finding in said.items()} == {"hip": "L", "knee": "L"}
    assert said["hip"].severity is Severity.WARNING
    both = six_dof_model(static.trial, functional=(left, right))
    assert all("SCoRE" in both.calibration.methods[side, "hip"] for side in SIDES)
    for model in (one, both, six_dof_model(static.trial)):
        assert all(finding.rule != "joint-methods-differ" for finding in model.findings)
        assert not list(unlike_legs(model.calibration.to_dict(), load_style(None)))
    assert all("Harrington" in one.calibration.methods[side, "hip"] for side in SIDES)


def test_two_legs_on_different_methods_are_said(static: SampleTrial) -> None:
    """A stored hip centre of one side only."""
    trial = star_arc_with_knee_bends(static)
    model = six_dof_model(static.trial, functional=(trial,))
    calibration = replace(
        model.calibration,
        methods={**model.calibration.methods, ("R", "hip"): six_dof_model(static.trial).calibration.methods["R", "hip"]},
    )
    facts = dict(unlike_legs(calibration.to_dict(), load_style(None)))
    assert set(facts) == {"Hip"}
    assert "SCoRE" in facts["Hip"]
    assert "Harrington" in facts["Hip"]


def refused(model: SixDofModel) -> dict[tuple[str, str], tuple[str, float]]:
    """(side, joint) -> why and by how much a functional centre was not taken."""
    values = [finding.values for finding in model.findings if finding.rule == "functional-refused"]
    return {(v["side"], v["joint"]): (v["why"], v["value_mm"]) for v in values}


def test_a_centre_that_scatters_is_refused_with_the_number(static: SampleTrial) -> None:
    trial = star_arc_with_knee_bends(static)
    rng, position = np.random.default_rng(5), trial.markers.position_m.copy()
    for side in SIDES:
        for name in below_hip(side):
            if name not in below_knee(side):
                # The thigh's skin as a whole goes its own way, slowly.
                position[:, trial.markers.names.index(name)] += np.sin(np.linspace(0, 60, N_FRAMES))[:, None] * [0.03, 0.01, 0.03]
    position += rng.normal(0, 1e-4, position.shape)
    model = six_dof_model(static.trial, functional=(replace(trial, markers=trial.markers.with_positions(position)),), hip="auto")
    assert {key for key in refused(model) if key[1] == "hip"} == {("L", "hip"), ("R", "hip")}
    assert all(why == "residual" and value > 12.0 for (why, value) in (refused(model)[side, "hip"] for side in SIDES))
    assert all("Harrington" in model.calibration.methods[side, "hip"] for side in SIDES)


def test_a_centre_far_from_every_regression_is_refused_with_the_number(static: SampleTrial) -> None:
    """The thigh turns about a point 6 cm below the hip, as if it were one."""
    trial = star_arc_with_knee_bends(static, below_m=0.06)
    model = six_dof_model(static.trial, functional=(trial,))
    assert {key: why for key, (why, value) in refused(model).items() if value > 30.0} == dict.fromkeys(
        [("L", "hip"), ("R", "hip")], "distance"
    )
    assert all("Harrington" in model.calibration.methods[side, "hip"] for side in SIDES)


def test_a_movement_too_small_is_refused_with_the_number(static: SampleTrial) -> None:
    model = six_dof_model(static.trial, functional=(star_arc_with_knee_bends(static, share=0.4),))
    said = [finding.values for finding in model.findings if finding.rule == "functional-too-small"]
    # Half a radian to either side in turning directions, and knees of a whole one, times 0.4.
    hips, knees = ([v["range_deg"] for v in said if v["joint"] == joint] for joint in ("hip", "knee"))
    assert len(hips) == len(knees) == 2
    assert all(18 < found < 24 for found in (*hips, *knees))
    assert all(v["least_deg"] == 30.0 for v in said)


def axis_off_deg(model: SixDofModel, person: VirtualSubject, side: str) -> float:
    """Angle between the thigh's lateral axis in the static trial and the true one."""
    static = person.static()
    found = model.track(static.trial).motions[side, "thigh"].frames.R_lab_seg[0][:, 2]
    true = static.truth.R_lab_seg[side, "thigh"][0][:, 1]
    return float(np.rad2deg(np.arccos(min(1.0, abs(found @ true)))))


@pytest.mark.parametrize(("soft_tissue_m", "within_m", "within_deg"), [(0.0, 1e-3, 1.0), (0.015, 8e-3, 4.0)], ids=["rigid", "soft"])
@pytest.mark.parametrize("method", ["score", "sphere"])
def test_the_virtual_subjects_hips_and_knee_axes(soft_tissue_m: float, within_m: float, within_deg: float, method: str) -> None:
    person = virtual_subject(clusters=True, soft_tissue_m=soft_tissue_m)
    static, moving = person.static(), person.star_arc()
    model = six_dof_model(static.trial, functional=(moving.trial,), hip=method)
    assert not [finding for finding in model.findings if finding.rule.startswith("functional-")]
    motion = model.track(static.trial)
    for side in SIDES:
        off = motion.joint_centres_lab_m[side, "hip"] - static.truth.joint_centres_lab_m[side, "hip"]
        assert np.linalg.norm(off, axis=1).max() < within_m
        assert axis_off_deg(model, person, side) < within_deg


def test_options_that_do_not_exist_are_refused(static: SampleTrial) -> None:
    with pytest.raises(OptionError, match="as its hip, not a str"):
        six_dof_model(static.trial, hip="seidel")
    with pytest.raises(MissingInputError, match="neither a static trial nor a walk"):
        six_dof_model(None)
    with pytest.raises(MissingInputError, match=r"hip centre cannot be found \(stored\)"):
        six_dof_model(static.trial, hip="stored")
    with pytest.raises(OptionError, match="no kinetics mode 'vicon'"):
        six_dof_model(static.trial).track(static.trial, kinetics="vicon")


def test_a_marker_of_no_weight_cannot_mislead(static: SampleTrial) -> None:
    trusting, sceptical = (replace(load_markerset("cast"), weights=weights) for weights in ({}, {"LTH1": 0.0}))
    position = static.trial.markers.position_m.copy()
    position[:, static.trial.markers.names.index("LTH1")] += 0.05
    misled = replace(static.trial, markers=static.trial.markers.with_positions(position))
    errors = []
    for markerset in (trusting, sceptical):
        thigh = six_dof_model(static.trial, markerset=markerset).track(misled).motions["L", "thigh"].frames.R_lab_seg
        true = six_dof_model(static.trial, markerset=markerset).track(static.trial).motions["L", "thigh"].frames.R_lab_seg
        errors.append(np.abs(thigh - true).max())
    assert errors[0] > 1e-2
    assert errors[1] < 1e-12
