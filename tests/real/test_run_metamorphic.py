"""The main job on a child's session in other axes, with other frame numbers, and in a mirror: the same joint loads come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.pipeline.stage import recordings
from biomech_id.session.session import Session
from biomech_id.session.trial_tables import frames
from biomech_id.trial import Trial

OTHER = {"L": "R", "R": "L"}
#: Columns in laboratory axes; everything else lies in the body's own.
LAB_COLUMNS = (
    "HJC", "KJC", "AJC", "SJC", "EJC", "WJC", "CentreOfMass", "Outline", "GroundReactionForce", "GroundReactionMoment",
    "CentreOfPressure",
)  # fmt: skip
#: Left beside right: the sign says which is the larger.
SIGNED_TOWARDS_A_SIDE = {"arm_swing_symmetry"}
#: Rounding of a rotation by a matrix, in degrees, N m/kg, N/kg and W/kg alike.
ROUNDING = 1e-9


def moved(trial: Trial, R_new_lab: np.ndarray) -> Trial:
    """The trial in other axes; moments are axial vectors, so a reflection turns them the other way."""
    handed = float(np.linalg.det(R_new_lab))
    plates = tuple(
        replace(
            p, corners_m=p.corners_m @ R_new_lab.T, force_lab_N=p.force_lab_N @ R_new_lab.T,
            moment_lab_Nm=handed * p.moment_lab_Nm @ R_new_lab.T,
        )
        for p in trial.plates
    )  # fmt: skip
    return replace(trial, markers=trial.markers.with_positions(trial.markers.position_m @ R_new_lab.T), plates=plates)


def turned(trial: Trial) -> Trial:
    return moved(trial, np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))


def renumbered(trial: Trial) -> Trial:
    later = tuple(replace(e, time_s=e.time_s + 1000 / trial.rate_hz) for e in trial.events)
    return replace(trial, first_frame=trial.first_frame + 1000, events=later)


def mirrored(trial: Trial) -> Trial:
    image = moved(trial, np.diag([1.0, -1.0, 1.0]))
    names = tuple(OTHER[n[0]] + n[1:] if n[0] in OTHER else n for n in image.markers.names)
    subject = trial.subject
    measures = ("leg_length_m", "knee_width_m", "ankle_width_m")
    swapped = {name: {OTHER[side]: value for side, value in getattr(subject, name).items()} for name in measures}
    events = tuple(replace(e, side=OTHER.get(e.side, e.side)) for e in trial.events)
    return replace(image, markers=replace(image.markers, names=names), subject=replace(subject, **swapped), events=events)


@pytest.fixture(scope="module")
def analysed(c3d_dir) -> Callable[[Callable[[Trial], Trial]], Session]:
    """Analyse one child's session after doing something to each of its recordings; what the vendor stored is taken away."""

    def analyse(change: Callable[[Trial], Trial]) -> Session:
        read_all = recordings.read_all
        with pytest.MonkeyPatch.context() as patch:

            def changed(*args, **options):
                intake = read_all(*args, **options)
                return replace(intake, trials=tuple(change(replace(t, model_outputs={}, stored_numbers={})) for t in intake.trials))

            patch.setattr(recordings, "read_all", changed)
            return bid.analyse(c3d_dir / "children" / "HC031A").computed

    return analyse


@pytest.fixture(scope="module")
def plain(analysed):
    return analysed(lambda trial: trial)


def compare(found, expected, *, mirror: bool) -> None:
    other = {**OTHER, "": ""} if mirror else {"L": "L", "R": "R", "": ""}
    assert [t.kind for t in found.trials] == [t.kind for t in expected.trials]
    for mine, theirs in zip(found.trials, expected.trials, strict=True):
        stances = sorted((other[s.side], s.plates, s.verdict) for s in theirs.assignment.stances)
        assert sorted((s.side, s.plates, s.verdict) for s in mine.assignment.stances) == stances
        values = {(other[p.side], p.cycle, p.parameter): p.value for p in theirs.parameters}
        assert {(p.side, p.cycle, p.parameter) for p in mine.parameters} == values.keys()
        for p in mine.parameters:
            sign = -1.0 if mirror and p.parameter in SIGNED_TOWARDS_A_SIDE else 1.0
            assert p.value == pytest.approx(sign * values[p.side, p.cycle, p.parameter], abs=1e-6)
        compared = 0
        for column in frames(theirs).columns:
            name, _, component = column.partition(".")
            if column in ("frame", "time") or name.endswith(LAB_COLUMNS):
                continue
            # Joint forces point to the left on both sides (docs/conventions.md); everything else is named after anatomy.
            sign = -1.0 if mirror and name.endswith("Force") and component == "Y" else 1.0
            theirs_now, mine_now = frames(theirs)[column], frames(mine)[other[column[0]] + column[1:]]
            np.testing.assert_allclose(
                mine_now, sign * np.asarray(theirs_now), rtol=0.0, atol=ROUNDING, err_msg=f"{mine.name} {column}"
            )
            compared += int(np.isfinite(theirs_now).any())
        # Two sides of five angles, three moments and forces with three components each, and six powers.
        assert compared >= 2 * (5 * 3 + 3 * 3 + 3 * 3 + 6)


def test_in_axes_turned_by_ninety_degrees(analysed, plain):
    compare(analysed(turned), plain, mirror=False)


def test_with_frames_numbered_from_elsewhere(analysed, plain):
    compare(analysed(renumbered), plain, mirror=False)


def test_in_a_mirror(analysed, plain):
    compare(analysed(mirrored), plain, mirror=True)
