"""Markers that no set names help to follow the segments with which they move (issue M): on the virtual subject, with truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.markersets import load_markerset
from biomech_id.models.six_dof.model import SixDofModel, six_dof_model
from biomech_id.sample import SampleTrial, virtual_subject
from biomech_id.trial import Markers, Trial

#: Columns: ISB axes in the truth's, which are (x anterior, y left, z proximal).
ISB_LONG = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
PERSON = virtual_subject(clusters=True, upper_body=True, noise_m=1e-3, soft_tissue_m=0.01, seed=3)
STATIC, WALK = PERSON.static(), PERSON.walk(duration_s=3.0)
#: What Plug-in Gait does not have of the virtual subject's legs: clusters, forefoot, and the medial sides of knee and ankle.
EXTRA = {"TH": "thigh", "TB": "shank", "MT": "foot", "KNM": "", "ANM": ""}
NUMBERS = {
    f"{side}{name}": f"X{number}"
    for number, (side, name) in enumerate(
        (side, name)
        for side in "LR"
        for name in ("TH1", "TH2", "TH3", "TH4", "TB1", "TB2", "TB3", "TB4", "MT1", "MT5", "KNM", "ANM")
    )
}
LABELS = {number: label for label, number in NUMBERS.items()}


def numbered(trial: Trial, more: dict[str, np.ndarray] | None = None) -> Trial:
    """The trial with labels that say nothing for what Plug-in Gait does not know, and further points."""
    names = tuple(NUMBERS.get(name, name) for name in trial.markers.names)
    paths = np.concatenate([trial.markers.position_m, *(path[:, None] for path in (more or {}).values())], axis=1)
    return replace(trial, markers=Markers((*names, *(more or {})), paths, trial.markers.rate_hz))


@pytest.fixture(scope="module")
def model() -> SixDofModel:
    return six_dof_model(numbered(STATIC.trial), walks=(numbered(STATIC.trial), numbered(WALK.trial)))


def further(model: SixDofModel) -> dict[str, tuple[str, str]]:
    """Label in the virtual subject's own words -> the segment that it follows, without those that Plug-in Gait itself has."""
    own = load_markerset("plug-in-gait").tracking
    return {
        LABELS.get(label, label): part
        for part, labels in model.marker_groups.items() for label in labels if label not in own[part]
    }  # fmt: skip


def turned_deg(model: SixDofModel, sample: SampleTrial) -> dict[tuple[str, str], float]:
    """How far thigh and shank are turned from the truth, root mean square, without the constant part."""
    motion, errors = model.track(numbered(sample.trial)), {}
    for part in ((side, name) for side in "LR" for name in ("thigh", "shank")):
        departure = np.swapaxes(sample.truth.R_lab_seg[part] @ ISB_LONG, 1, 2) @ motion.motions[part].frames.R_lab_seg
        turn = np.stack([departure[:, i, j] - departure[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=1) / 2
        errors[part] = float(np.rad2deg(np.sqrt(((turn - turn.mean(axis=0)) ** 2).sum(axis=1).mean())))
    return errors


def test_every_marker_of_a_cluster_is_found_on_its_segment_and_no_other_marker_is(model: SixDofModel) -> None:
    found = further(model)
    expected = {label: (label[0], segment) for label in NUMBERS if (segment := EXTRA.get(label[1:3], ""))}
    assert found == expected
    (said,) = (finding for finding in model.findings if finding.rule == "further-markers")
    assert said.values["n"] == 20
    assert "X0, X1, X2" in said.message


def test_segments_are_followed_three_times_better(model: SixDofModel) -> None:
    few = six_dof_model(numbered(STATIC.trial))
    with_all, with_few = turned_deg(model, WALK), turned_deg(few, WALK)
    for part, error in with_all.items():
        assert error < 1.0, part
        assert with_few[part] > 3.0 * error, part


def test_a_set_that_was_named_and_one_that_has_clusters_stay_as_they_are() -> None:
    walks = (numbered(WALK.trial),)
    for named in ("plug-in-gait", load_markerset("plug-in-gait")):
        assert not further(six_dof_model(numbered(STATIC.trial), markerset=named, walks=walks))
    recognised = replace(load_markerset("plug-in-gait"), recognised=True)
    assert len(further(six_dof_model(numbered(STATIC.trial), markerset=recognised, walks=walks))) == 20
    cast = six_dof_model(STATIC.trial, walks=(WALK.trial,))
    assert cast.marker_groups == six_dof_model(STATIC.trial).marker_groups


def test_the_choice_is_one_for_a_session_and_a_millimetre_of_noise_leaves_it(model: SixDofModel) -> None:
    """All walks and the static trial choose together; which of the walks comes first, or further noise, changes nothing."""
    other = numbered(PERSON.walk(duration_s=2.5, seed=4).trial)
    walks = (numbered(WALK.trial), other)
    chosen = {part: set(labels) for part, labels in model.marker_groups.items()}
    for order in (walks, walks[::-1]):
        together = six_dof_model(numbered(STATIC.trial), walks=order)
        assert {part: set(labels) for part, labels in together.marker_groups.items()} == chosen
    rng = np.random.default_rng(11)

    def noisier(trial: Trial) -> Trial:
        position_m = trial.markers.position_m + rng.normal(0.0, 1e-3, trial.markers.position_m.shape)
        return replace(trial, markers=replace(trial.markers, position_m=position_m))

    for _ in range(3):
        again = six_dof_model(noisier(numbered(STATIC.trial)), walks=tuple(map(noisier, walks)))
        assert {part: set(labels) for part, labels in again.marker_groups.items()} == chosen


def test_toes_and_points_that_software_computed_follow_nothing() -> None:
    """A copy, the ends of an axis, and the tip of the toes; their like on the real foot is moved by what moves the markers."""

    def points(sample: SampleTrial) -> dict[str, np.ndarray]:
        markers = sample.trial.markers
        along = markers["LANK"] - markers["LTIB"]
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        rng = np.random.default_rng(5)
        toes = markers["LTOE"] + 0.35 * (markers["LTOE"] - markers["LHEE"]) + rng.normal(0.0, 3e-4, (markers.n_frames, 3))
        return {"COPY": markers[f"{'LTB1'}"].copy(), "AXIS": markers["LTIB"] + 0.1 * along, "TIP": toes}

    with_points = six_dof_model(numbered(STATIC.trial, points(STATIC)), walks=(numbered(WALK.trial, points(WALK)),))
    found = further(with_points)
    assert not {"AXIS", "TIP"} & set(found)
    assert not {"COPY", "LTB1"} <= set(found)
    assert found["LTB2"] == ("L", "shank")


def test_a_marker_that_was_moved_between_standing_and_walking_or_is_seldom_seen_follows_nothing() -> None:
    static, walk = numbered(STATIC.trial), numbered(WALK.trial)
    position = walk.markers.position_m.copy()
    position[: walk.n_frames // 3, walk.markers.names.index(NUMBERS["LTB1"])] = np.nan
    seldom = replace(walk, markers=Markers(walk.markers.names, position, walk.markers.rate_hz))
    stood = static.markers.position_m.copy()
    stood[:, static.markers.names.index(NUMBERS["RTB1"])] += (0.0, 0.0, 0.03)
    moved = replace(static, markers=Markers(static.markers.names, stood, static.markers.rate_hz))
    found = further(six_dof_model(moved, walks=(walk, seldom)))
    assert not {"LTB1", "RTB1"} & set(found)
    assert {"LTB2", "RTB2"} <= set(found)
