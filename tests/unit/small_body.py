"""A small body that moves smoothly in three dimensions, with both feet on a known ground, for the tables to be built from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames, Motion, Segment
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.measures.spatiotemporal import GaitParameter
from biomech_id.judgement.quality import graded
from biomech_id.languages import Sentence
from biomech_id.models.conventional.axes import CONVENTIONAL_AXES
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.movement.stance import Assignment, Stance
from biomech_id.session.output.from_session import session_tables
from biomech_id.session.session import Session
from biomech_id.session.solved import Failure, Solved
from biomech_id.signal.gaps import Gap
from biomech_id.trial import Event, EventKind, Subject
from biomech_id.uncertainty.leg import leg_errors
from biomech_id.uncertainty.recording import LegErrors
from biomech_id.uncertainty.sizes import error_sizes

RATE_HZ = 100.0
FIRST_FRAME = 41
N_FRAMES = 160
MASS_KG = 64.0
#: The body walks along this direction, 30 degrees off a laboratory axis, at 1.2 m/s.
FORWARD = np.array([np.cos(np.pi / 6), np.sin(np.pi / 6), 0.0])


def _motion(origin: np.ndarray, phase: float) -> Motion:
    time_s = np.arange(len(origin)) / RATE_HZ
    angles = np.stack([0.4 * np.sin(2 * time_s + phase), 0.2 * np.cos(3 * time_s + phase), 0.5 + 0.3 * np.sin(time_s)], axis=1)
    R = Rotation.from_euler("YXZ", angles).as_matrix()
    wave = np.stack([np.sin(3 * time_s + phase), np.cos(2 * time_s), np.sin(time_s + phase)], axis=1)
    return Motion(Frames(R, origin), 2.0 * wave, 5.0 * wave[:, ::-1], origin - [0, 0, 0.05], 1.0 + wave, 3.0 * wave)


#: Position, velocity and acceleration per variance of raw noise at 8 Hz and 100 frames a second, about.
GRAM = np.array([[0.16, 0.0, -200.0], [0.0, 200.0, 0.0], [-200.0, 0.0, 6e5]])


@pytest.fixture(scope="session")
def body() -> BodyMotion:
    """A pelvis and two legs, every array different from every other."""
    time_s = np.arange(N_FRAMES) / RATE_HZ
    pelvis = np.array([0.1, 0.2, 0.9]) + 1.2 * time_s[:, None] * FORWARD
    motions = {("", "pelvis"): _motion(pelvis, 0.0)}
    centres, segments, angles, outlines = {}, {}, {}, {}
    for s, side in enumerate(SIDES):
        sway = np.stack([0.1 * np.sin(5 * time_s + s), 0.1 * np.cos(4 * time_s), 0.02 * np.sin(6 * time_s)], axis=1)
        for i, (joint, segment) in enumerate((("hip", "thigh"), ("knee", "shank"), ("ankle", "foot"))):
            centres[side, joint] = pelvis + (i + 1) * sway * 0.5 - [0.0, 0.2 * s, 0.3 * i]
            motions[side, segment] = _motion(centres[side, joint], 1.0 + i + 3 * s)
            segments[side, segment] = Segment(segment, 1.0 + i, np.array([0, 0, -0.05]), np.diag([0.02, 0.02, 0.01]) * (i + 1))
        for i, joint in enumerate(("pelvis", "hip", "knee", "ankle", "foot_progress")):
            angles[side, joint] = np.radians(20.0) * np.sin(time_s[:, None] * [3, 4, 5] + i + 7 * s)
        left = np.array([-FORWARD[1], FORWARD[0], 0.0])
        corners = [(-0.05, -0.03), (-0.05, 0.03), (0.2, 0.04), (0.2, -0.04)]
        ground = np.array([0.6, 0.3 - 0.2 * s, 0.0])
        outline = np.array([ground + a * FORWARD + b * left for a, b in corners])
        outlines[side] = np.broadcast_to(outline, (N_FRAMES, 4, 3)).copy()
        centres[side, "ankle"][:, :2] = ground[:2]
    return BodyMotion(
        "walk", RATE_HZ, FIRST_FRAME, motions, segments, centres, angles, outlines,
        ("HeelMedialOutline", "HeelLateralOutline", "ToeLateralOutline", "ToeMedialOutline"),
        model="conventional", axes=CONVENTIONAL_AXES,
    )  # fmt: skip


def contact(side: str, start: int, stop: int, known: tuple[int, int] | None = None) -> FootContact:
    """One stance from frame index ``start`` to ``stop`` pressed at a known point; ``known`` cuts the frames where it is known."""
    force, moment = np.zeros((N_FRAMES, 3)), np.zeros((N_FRAMES, 3))
    shape = np.sin(np.pi * (np.arange(start, stop) - start) / (stop - start))[:, None]
    force[start:stop] = shape * [60.0, 30.0, 700.0] + [1.0, 2.0, 50.0]
    point = np.array([0.65, 0.3 if side == "L" else 0.1, 0.0])
    moment[start:stop] = np.cross(point, force[start:stop]) + [0.0, 0.0, 4.0]
    mask = np.ones(N_FRAMES, dtype=bool)
    if known is not None:
        mask[:] = False
        mask[known[0] : known[1]] = True
    return FootContact(side, force, moment, mask)


@pytest.fixture(scope="session")
def contacts() -> Mapping[str, FootContact]:
    """Left foot loaded in frames 20 to 80, always known; right in 70 to 130, not known after frame 100."""
    return {"L": contact("L", 20, 80), "R": contact("R", 70, 130, known=(0, 100))}


@pytest.fixture(scope="session")
def make_contact() -> Callable[..., FootContact]:
    """The function that makes a contact, for tests that need another."""
    return contact


def cycle(side: str, start_s: float, off_s: float, end_s: float, valid: KineticsValid, **changes: object) -> Cycle:
    """One cycle of the walk."""
    middle = 0.5 * (start_s + end_s)
    plain = Cycle("walk", side, 1, start_s, end_s, off_s, start_s + 0.1, middle, valid)
    return replace(plain, **changes)


@pytest.fixture(scope="session")
def cycles() -> tuple[Cycle, ...]:
    """A left cycle with kinetics between frames, a left one without, and a right one that has them in stance only."""
    return (
        cycle("L", 0.6033, 1.2, 1.4071, KineticsValid.TRUE),
        cycle("L", 1.4071, 1.8, 1.95, KineticsValid.FALSE, number=2, reasons=(Sentence("no-loaded-plate"),)),
        cycle("R", 1.1004, 1.35, 2.5, KineticsValid.STANCE_ONLY),
    )


@pytest.fixture(scope="session")
def trial(body: BodyMotion, contacts: Mapping[str, FootContact], cycles: tuple[Cycle, ...]) -> Solved:
    """The walk as one trial's result."""
    stances = (
        Stance("L", 0.6033, 1.2, ("plate 1",), Sentence("foot-alone", {"plates": ("plate 1",)})),
        Stance("R", 1.1004, float("nan"), (), Sentence("stance-cut", {"missing": "off"})),
    )
    assignment = Assignment(stances, contacts)
    events = (Event(0.6033, "L", EventKind.FOOT_STRIKE), Event(1.2, "L", EventKind.FOOT_OFF))
    parameters = (
        GaitParameter("walk", "L", 1, "speed", 1.2, "m/s"),
        GaitParameter("walk", "L", 1, "speed_dimensionless", 0.4, "1"),
    )
    return Solved(
        name="walk", file="walk.c3d", kind=TrialKind.STRAIGHT, condition="barefoot", motion=body,
        loads=solve_body(body, assignment, budget=True), assignment=assignment, events=events, cycles=cycles, parameters=parameters,
        quality=(graded("walk", "marker-rigidity", 12.0),), mass_kg=MASS_KG, history=("read walk.c3d",),
        gaps=(Gap("LANK", 45, 49, "spline"),),
        errors={
            s: LegErrors(leg_errors(error_sizes(), hip_centre_mm=8.0, noise_m=3e-4, gram=GRAM, gain=np.eye(12))) for s in SIDES
        },
    )  # fmt: skip


@pytest.fixture(scope="session")
def session(trial: Solved) -> Session:
    """A session of that one trial."""
    both = {"L": 0.9, "R": 0.9}
    knees, ankles = {"L": 0.1, "R": 0.1}, {"L": 0.07, "R": 0.07}
    subject = Subject(
        code="S1", mass_kg=MASS_KG, leg_length_m=both, knee_width_m=knees, ankle_width_m=ankles, sources={"mass_kg": "subject.toml"}
    )
    return Session(
        session_tables, person=subject, model="conventional", kinetics="textbook",
        static_name="static", static_file="static.c3d", static_frames=50, calibration_record={"sides": {}},
        movements=(trial,), failures=(Failure("broken.c3d", "It is no C3D file."),),
        command="biomech-id run .", inputs={"walk.c3d": "1"}, error_sizes=error_sizes(),
    )  # fmt: skip
