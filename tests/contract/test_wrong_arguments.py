"""What a researcher is told who gives a function the wrong thing, or two things the wrong way round."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import Side
from biomech_id.dynamics.body import BodyMotion, Segment
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import BiomechError, OptionError, UnknownNameError, WrongTypeError
from biomech_id.exports.opensim.memory import from_opensim, to_opensim
from biomech_id.models.conventional.model import ConventionalModel
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion
from biomech_id.osim.forces.actuators import ActuatedModel
from biomech_id.osim.forces.static_optimisation import MuscleForces
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose
from biomech_id.readers.c3d.from_ezc3d import from_ezc3d
from biomech_id.session.session import Session
from biomech_id.trial import AnalogChannels, EventKind, Markers, Rotations, Trial


@dataclass(frozen=True)
class Hands:
    """What a researcher holds after the README's first lines."""

    static: Trial
    trial: Trial
    model: ConventionalModel
    motion: BodyMotion
    loads: JointLoads


@pytest.fixture(scope="module")
def hands() -> Hands:
    person = bid.virtual_subject()
    static, trial = person.static().trial, person.walk().trial
    model = bid.conventional_model(static)
    motion = model.track(trial)
    return Hands(static, trial, model, motion, bid.solve(bid.assign_plates(motion)))


CALLS: dict[str, tuple[Callable[[Hands], Any], str]] = {
    "trial for motion": (lambda h: bid.solve(h.trial, h.motion), "solve takes a BodyMotion as its motion, not a Trial"),  # type: ignore[arg-type]
    "motion for contacts": (lambda h: bid.solve(h.motion, h.motion), "assign_plates(movement) gives a movement that has them"),  # type: ignore[arg-type]
    "swapped": (
        lambda h: bid.assign_plates(h.motion, h.trial),
        "assign_plates takes a BodyMotion or None as its motion, not a Trial",
    ),  # type: ignore[arg-type]
    "trial twice": (lambda h: bid.assign_plates(h.trial, h.trial), "track(trial) returns it"),  # type: ignore[arg-type]
    "loads for events": (
        lambda h: bid.find_events(h.loads),
        "find_events takes a Movement or Trial as its trial, not a JointLoads",
    ),
    "two motions": (lambda h: bid.find_events(h.motion, h.motion), "find_events was given a movement and a motion"),  # type: ignore[arg-type]
    "path for trial": (lambda h: bid.conventional_model("static.c3d"), "read_c3d(path) returns it"),  # type: ignore[arg-type]
    "path for a walk": (lambda h: h.model.track("walk.c3d"), "track takes a Trial as its trial, not a str"),  # type: ignore[arg-type]
    "path for six-dof": (lambda h: bid.six_dof_model("static.c3d"), "read_c3d(path) returns one"),  # type: ignore[arg-type]
    "trial for path": (lambda h: bid.read_c3d(h.trial), "read_c3d takes a str or PathLike as its path, not a Trial"),  # type: ignore[arg-type]
    "trial for session": (lambda h: bid.plot.kinematics(h.trial), "takes a session as its result, not a Trial"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", CALLS)
def test_the_wrong_kind_of_value_is_named(hands: Hands, name: str) -> None:
    call, said = CALLS[name]
    with pytest.raises(WrongTypeError) as caught:
        call(hands)
    assert said in str(caught.value)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, BiomechError)


def test_a_joint_that_is_not_there_lists_those_that_are(hands: Hands) -> None:
    with pytest.raises(UnknownNameError, match=r"no joint load \('knee', 'R'\); there are .*\[\"R\", \"knee\"\]") as caught:
        hands.loads["knee", "R"]
    assert str(pickle.loads(pickle.dumps(caught.value))) == caught.value.message
    assert ("R", "knee") in hands.loads
    assert hands.loads.get(("knee", "R")) is None


NONSENSE = object()
ROOT = Path(__file__).resolve().parents[2]


def valid_calls(h: Hands, folder: Path) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Every public function and value, with arguments that it takes; wrong calls are made by spoiling one at a time."""
    plate, markers = h.trial.plates[0], h.trial.markers
    pendulum = bid.mechanics.n_pendulum([1.0], [1.0], gravity_m_s2=9.81)
    cells = {"names": markers.names, "position_m": markers.position_m, "rate_hz": 100.0}
    force = {"force_lab_N": plate.force_lab_N, "moment_lab_Nm": plate.moment_lab_Nm}
    wrench = h.loads["R", "knee"].wrench
    drawn: dict[str, Any] = {
        "result": SimpleNamespace(tables=lambda: None),
        "kind": None,
        "condition": None,
        "style": None,
        "ax": None,
    }
    return {
        "read": (bid.read, {"path": "walk.c3d", "trust": True, "marker_set": None}),
        "read_c3d": (bid.read_c3d, {"path": "walk.c3d", "trust": True, "subject": None, "marker_set": None}),
        "read_folder": (bid.read_folder, {"out": str(folder)}),
        "conventional_model": (bid.conventional_model, {"static": h.static, "subject": None, "foot_flat": None, "inertia": "auto"}),
        "six_dof_model": (
            bid.six_dof_model,
            {"static": h.static, "subject": None, "markerset": "cast", "walks": (), "functional": (), "hip": "auto",
             "inertia": "auto", "foot_flat": None},
        ),
        "track": (h.model.track, {"trial": h.trial, "kinetics": "textbook"}),
        "prepare": (
            bid.prepare, {"trial": h.trial, "model": h.model, "recipe": None, "longest_gap_frames": 10, "kinetics": "vicon"},
        ),
        "find_events": (
            bid.find_events,
            {"trial": h.motion, "motion": None, "source": "auto", "body_mass_kg": 70.0, "contact_N": 0.0, "timing": None},
        ),
        "assign_plates": (
            bid.assign_plates,
            {"trial": h.motion, "motion": None, "events": None, "kinetics": "textbook", "body_mass_kg": 70.0, "contact_N": 0.0,
             "verdicts": (), "wrench_plates": None},
        ),
        "solve": (
            bid.solve,
            {"motion": h.motion, "contacts": h.loads.contacts, "extra": (), "gravity_lab_m_s2": (0, 0, -9.81),
             "method": "recursive", "budget": False},
        ),
        "analyse": (
            bid.analyse,
            {"folder": str(folder), "recipe": None, "static": None, "functional": (), "exclude": (), "subject_file": None,
             "mass_kg": 70.0, "norm": None, "code": None, "extra": None, "kinetics": "textbook", "cutoff_hz": 6.0, "budget": False},
        ),
        "virtual_subject": (
            bid.virtual_subject,
            {"body": "adult", "mass_kg": 70.0, "height_m": 1.8, "speed_m_s": 1.2, "direction": "+X", "rate_hz": 100.0,
             "first_frame": 1, "belt": False, "noise_m": 0.0, "seed": 1},
        ),
        "write": (bid.write, {"trial": h.trial, "path": str(folder / "walk.trc")}),
        "to_dataframe": (bid.to_dataframe, {"x": h.trial}),
        "to_xarray": (bid.to_xarray, {"x": h.trial}),
        "to_opensim": (to_opensim, {"x": h.trial}),
        "from_opensim": (from_opensim, {"table": SimpleNamespace(getDependentColumn=None, flatten=None)}),
        "from_xarray": (bid.from_xarray, {"x": SimpleNamespace(coords={}, data_vars={})}),
        "from_ezc3d": (from_ezc3d, {"c": SimpleNamespace(write=None), "name": "walk"}),
        "from_dataframe": (
            bid.from_dataframe, {"table": bid.to_dataframe(h.trial), "rate_hz": 100.0, "unit": "m", "up": "Z", "name": "walk"},
        ),
        "Trial.from_arrays": (
            bid.Trial.from_arrays,
            {"markers": {"A": np.zeros((5, 3))}, "rate_hz": 100.0, "name": "walk", "unit": "m", "up": "Z", "plates": (),
             "events": (), "analog": None, "analog_rate_hz": None, "subject": None, "first_frame": 1},
        ),
        "inverse_dynamics": (
            bid.inverse_dynamics,
            {"R_lab_seg": np.tile(np.eye(3), (20, 1, 1)), "origin_lab_m": np.zeros((20, 3)), "joint_lab_m": np.zeros((20, 3)),
             "rate_hz": 100.0, "mass_kg": 1.0, "com_m": np.zeros(3), "inertia_kgm2": np.eye(3), "forces": (), "parents": None,
             "gravity_lab_m_s2": (0, 0, -9.81), "method": "block", "budget": False},
        ),
        "joint_angles": (bid.joint_angles, {"R_lab_prox": np.eye(3), "R_lab_dist": np.eye(3), "sequence": "YXZ"}),
        "frame_from_points": (
            bid.frame_from_points,
            {"origin_lab_m": [[0, 0, 0]], "axis_lab_m": [[0, 0, 1]], "plane_lab_m": [[0, 1, 0]], "order": "zy"},
        ),
        "ForcePlate.from_cop": (
            bid.ForcePlate.from_cop,
            {"force_lab_N": [[0, 0, 700.0]], "cop_lab_m": [[0.1, 0, 0]], "free_moment_Nm": [1.0], "rate_hz": 1000.0,
             "corners_m": plate.corners_m, "name": "plate 1"},
        ),
        "ForcePlate.from_wrench": (
            bid.ForcePlate.from_wrench,
            {"force_lab_N": [[0, 0, 700.0]], "moment_lab_Nm": [[0.1, 0, 0]], "about_lab_m": [0, 0, 0], "rate_hz": 1000.0,
             "corners_m": plate.corners_m, "name": "plate 1"},
        ),
        "inverse_kinematics": (
            bid.inverse_kinematics, {"model": "gait.osim", "trial": h.trial, "weights": None, "coordinate_weights": None},
        ),
        "fit": (bid.fit, {"model": "gait.osim", "trials": [h.trial], "mass_kg": None}),
        "static_optimisation": (
            bid.static_optimisation,
            {"actuated": object.__new__(ActuatedModel), "motion": object.__new__(RecordedMotion), "loads": (), "exponent": 2.0,
             "curves": True, "compat": False},
        ),
        "joint_reactions": (
            bid.joint_reactions,
            {"muscle_forces": object.__new__(MuscleForces), "joints": (), "on": "child", "frame": "ground"},
        ),
        "scale": (bid.scale, {"model": "gait.osim", "factors": {}, "mass_kg": None, "keep_mass_shares": True}),
        "lowpass": (bid.lowpass, {"values": np.zeros((9, 3)), "rate_hz": 100.0, "cutoff_hz": 6.0}),
        "fill_gaps": (bid.fill_gaps, {"trial": h.trial, "longest": 10, "groups": ()}),
        "analyse_many": (bid.analyse_many, {"folders": [folder], "workers": 1, "progress": False}),
        "norm": (bid.norm, {"sessions": [object.__new__(Session)], "source": "here"}),
        "compare": (bid.compare, {"first": object.__new__(Session), "second": object.__new__(Session)}),
        "System": (bid.System, {"bodies": pendulum.bodies, "gravity_lab_m_s2": [0, 0, 0], "free": (), "springs": (), "drives": ()}),
        "simulate": (
            bid.simulate, {"system": pendulum, "q0": [0.1], "u0": [0.0], "t_s": [0, 1], "events": None, "stop_at": "",
                           "tolerance": 1e-9},
        ),
        "linearise": (bid.linearise, {"system": pendulum, "q": [0.0], "u1": [0.0], "tau": [0.0], "t_s": 0.0}),
        "equations": (bid.equations, {"system": pendulum, "quantities": ("M1",), "method": "TE"}),
        "plot.skeleton": (bid.plot.skeleton, {"x": h.trial, "frame": 0, "labels": True, "ax": None}),
        "plot.marker_errors": (bid.plot.marker_errors, {"tracked": object.__new__(TrackedPose), "ax": None}),
        "plot.model": (
            bid.plot.model, {"model": "gait.osim", "motion": [[0.0]], "frame": 0, "trial": h.trial, "labels": True, "ax": None},
        ),
        "plot.forces": (bid.plot.forces, {"trial": h.trial, "ax": None}),
        "plot.force": (bid.plot.force, {"trial": h.trial, "plate": 1, "ax": None}),
        "plot.marker": (bid.plot.marker, {"trial": h.trial, "name": "LHEE", "ax": None}),
        "plot.compare": (
            bid.plot.compare, {"results": (drawn["result"],) * 2, "variable": "KneeMoment.X", "names": None, "style": None,
                               "ax": None},
        ),
        "Event": (bid.Event, {"time_s": 1.0, "side": "L", "kind": "Foot Strike", "source": "file", "label": ""}),
        "Subject": (bid.Subject, {"code": "A", "mass_kg": 70.0, "height_m": 1.8, "age_years": 30.0, "birth_date": "2000-01-31",
                                  "sex": "female", "marker_diameter_m": 0.014, "inter_asis_distance_m": 0.24,
                                  "leg_length_m": {"L": 0.9}, "knee_width_m": {"L": 0.1}, "ankle_width_m": {"L": 0.07},
                                  "tibial_torsion_rad": {"L": 0.1}, "sole_delta_m": {"L": 0.0}, "foot_flat": True}),
        "Markers": (Markers, {**cells, "filled": None, "roles": {}}),
        "ForcePlate": (bid.ForcePlate, {"name": "plate 1", "kind": 2, "corners_m": plate.corners_m, **force, "rate_hz": 1000.0,
                                        "sign": "reaction", "baseline_N": None, "foot": ""}),
        "Trial": (bid.Trial, {"name": "walk", "markers": markers, "plates": (), "events": (), "subject": bid.Subject(),
                              "first_frame": 1, "model_outputs": {}, "session_date": None, "analog": AnalogChannels()}),
        "AnalogChannels": (AnalogChannels, {"names": ("a",), "units": ("V",), "rate_hz": 1000.0, "stored": [[1.0]],
                                                "scale": [1.0], "offset": [0.0], "plates": ()}),
        "Rotations": (Rotations, {"names": ("pelvis",), "R_lab_seg": np.eye(3)[None, None],
                                      "origin_lab_m": [[[0.0, 0.0, 0.9]]], "rate_hz": 100.0}),
        "Wrench": (bid.Wrench, {"force_N": wrench.force_N, "moment_Nm": wrench.moment_Nm, "point_lab_m": wrench.point_lab_m,
                                "frame": "lab", "R_lab_frame": None, "sense": ""}),
        "External": (bid.External, {"segment": "R shank", "wrench": wrench, "part": "ground_reaction"}),
        "Wrench.about": (wrench.about, {"point_lab_m": [0.0, 0.0, 0.0]}),
        "Wrench.expressed_in": (wrench.expressed_in, {"frame": "trunk", "R_lab_frame": np.eye(3)}),
        "JointLoad.expressed_in": (h.loads["R", "knee"].expressed_in, {"frame": "shank", "sense": "internal"}),
        "Segment": (Segment, {"name": "shank", "mass_kg": 3.0, "com_m": [0, 0, 0.2], "inertia_kgm2": np.eye(3) * 0.04}),
        **{
            f"plot.{name}": (getattr(bid.plot, name), drawn | extra)
            for name, extra in {
                "kinematics": {"norm": None, "every_cycle": False}, "kinetics": {"norm": None, "every_cycle": False},
                "ground_reaction": {"norm": None, "every_cycle": False}, "spatiotemporal": {"norm": None},
                "values": {"norm": None}, "scores": {"norm": None}, "budget": {}, "emg": {"norm": None, "every_cycle": False},
                "curve": {"variable": "KneeMoment.X", "side": "", "every_cycle": False, "norm": None},
            }.items()
        },
    }  # fmt: skip


def said_well(error: BaseException, argument: str) -> None:
    """The error is ours, names the argument, carries value and expectation, and speaks of no command line."""
    assert isinstance(error, BiomechError), repr(error)
    assert argument in error.message, error.message
    assert error.expected
    assert error.where
    assert "--" not in error.message + error.expected + error.where, error.message
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


#: Public names that are no functions and no values one makes.
NOT_CALLED = {"BiomechError", "EventKind", "Recipe", "Side", "__version__", "mechanics", "osim", "plot"}


def test_every_public_function_is_here(hands: Hands, tmp_path: Path) -> None:
    assert set(bid.__all__) - NOT_CALLED <= set(valid_calls(hands, tmp_path))
    drawing = bid.plot.__all__
    assert {f"plot.{name}" for name in drawing} <= set(valid_calls(hands, tmp_path))


def test_arguments_of_every_public_function_spoilt_one_by_one(hands: Hands, tmp_path: Path) -> None:
    """Something that is of no use to anybody, in the place of each argument in turn; and names that no argument has."""
    n_calls = 0
    for function, arguments in valid_calls(hands, tmp_path).values():
        for argument in arguments:
            for nonsense in (NONSENSE, 3 + 4j):
                with pytest.raises(Exception) as caught:  # noqa: PT011 - which one is what is tested
                    function(**arguments | {argument: nonsense})
                said_well(caught.value, argument)
                n_calls += 1
        first = next(iter(arguments))
        for wrong in (arguments | {"bananas": 1}, {k: v for k, v in arguments.items() if k != first} | {first + "x": 1}):
            with pytest.raises(BiomechError) as caught:
                function(**wrong)
            said_well(caught.value, next(key for key in wrong if key not in arguments))
            n_calls += 1
        with pytest.raises(BiomechError):
            function(*[NONSENSE] * 40)
        n_calls += 1
    assert n_calls >= 300


#: Wrong by unit, kind or order, as people get them wrong: what is called, and what the message names.
BY_HAND: dict[str, tuple[Callable[[Hands], Any], str]] = {
    "height in cm": (lambda h: bid.Subject(height_m=180), "height_m"),
    "mass in g": (lambda h: bid.Subject(mass_kg=70_000), "mass_kg"),
    "legs in cm": (lambda h: bid.Subject(leg_length_m={"L": 90, "R": 90}), "leg_length_m"),
    "legs in mm": (lambda h: bid.Subject(leg_length_m={"L": 900.0, "R": 900.0}), "leg_length_m"),
    "one leg for two": (lambda h: bid.Subject(leg_length_m=0.9), "leg_length_m"),  # type: ignore[arg-type]
    "legs by word": (lambda h: bid.Subject(leg_length_m={"left": 0.9}), "leg_length_m"),
    "width in mm": (lambda h: bid.Subject(knee_width_m={"L": 98.0}), "knee_width_m"),
    "torsion in deg": (lambda h: bid.Subject(tibial_torsion_rad={"L": 12.0}), "tibial_torsion_rad"),
    "mass below nothing": (lambda h: bid.Subject(mass_kg=-70.0), "mass_kg"),
    "mass not a number": (lambda h: bid.Subject(mass_kg=float("nan")), "mass_kg"),
    "a day as Germans write it": (lambda h: bid.Subject(birth_date="31.5.2019"), "birth_date"),
    "with values in mm": (lambda h: h.static.subject.with_values("me", height_m=1800.0), "height_m"),
    "replace in mm": (lambda h: replace(h.static.subject, marker_diameter_m=14.0), "marker_diameter_m"),
    "side in words": (lambda h: bid.Event(1.0, "right", "Foot Strike"), "side"),  # type: ignore[arg-type]
    "kind in short": (lambda h: bid.Event(1.0, "R", "strike"), "kind"),  # type: ignore[arg-type]
    "side and kind swapped": (lambda h: bid.Event(1.0, "Foot Strike", "R"), "side"),  # type: ignore[arg-type]
    "time as text": (lambda h: bid.Event("1.0", "R", "Foot Strike"), "time_s"),  # type: ignore[arg-type]
    "time not a number": (lambda h: bid.Event(float("nan"), "R", "Foot Strike"), "time_s"),  # type: ignore[arg-type]
    "markers in mm": (lambda h: replace(h.trial.markers, position_m=h.trial.markers.position_m * 1000), "millimetres"),
    "interval for rate": (lambda h: replace(h.trial.markers, rate_hz=0.01), "rate_hz"),
    "names in one text": (lambda h: Markers("LHEE", [[[0, 0, 0.0]]], 100.0), "names"),  # type: ignore[arg-type]
    "rate and positions swapped": (lambda h: Markers(("LHEE",), 100.0, [[[0, 0, 0.0]]]), "rate_hz"),  # type: ignore[arg-type]
    "rows of two lengths": (lambda h: Markers(("LHEE",), [[[0, 0, 0.0]], [[0.0]]], 100.0), "position_m"),  # type: ignore[arg-type]
    "corners in mm": (lambda h: replace(h.trial.plates[0], corners_m=h.trial.plates[0].corners_m * 1000), "corners_m"),
    "corners in cm": (lambda h: replace(h.trial.plates[0], corners_m=h.trial.plates[0].corners_m * 100), "corners_m"),
    "moment in N mm": (lambda h: replace(h.trial.plates[0], moment_lab_Nm=h.trial.plates[0].moment_lab_Nm * 1e3), "moment_lab_Nm"),
    "force in garbage": (lambda h: replace(h.trial.plates[0], force_lab_N=h.trial.plates[0].force_lab_N * 1e6), "force_lab_N"),
    "a plate's foot in words": (lambda h: replace(h.trial.plates[0], foot="left"), "foot"),
    "the frame number from 0": (lambda h: replace(h.trial, first_frame=0), "first_frame"),
    "another plate's smoothed copy": (lambda h: replace(h.trial, wrench_plates=h.trial.plates[:1]), "wrench_plates"),
    "mass in g to plates": (lambda h: bid.assign_plates(h.motion, body_mass_kg=70_000), "body_mass_kg"),
    "threshold in kN": (lambda h: bid.find_events(h.trial, contact_N=-0.02), "contact_N"),
    "a source by half": (lambda h: bid.find_events(h.trial, source="plate"), "source"),
    "kinetics in capitals": (lambda h: h.model.track(h.trial, kinetics="Vicon"), "kinetics"),
    "gravity in mm": (lambda h: bid.solve(h.motion, h.loads.contacts, gravity_lab_m_s2=(0, 0, -9810)), "gravity_lab_m_s2"),
    "gravity as one number": (lambda h: bid.solve(h.motion, h.loads.contacts, gravity_lab_m_s2=-9.81), "gravity_lab_m_s2"),
    "feet by word": (lambda h: bid.solve(h.motion, {"left": h.loads.contacts["L"]}), "contacts"),
    "a method nobody has": (lambda h: bid.solve(h.motion, h.loads.contacts, method="inverse"), "method"),  # type: ignore[arg-type]
    "the loads as motion": (lambda h: bid.solve(h.loads, h.loads.contacts), "motion"),  # type: ignore[arg-type]
    "axes of no segment": (lambda h: h.loads["R", "knee"].expressed_in("tibia"), "tibia"),
    "a sense of no one": (lambda h: h.loads["R", "knee"].expressed_in("shank", sense="muscle"), "sense"),  # type: ignore[arg-type]
    "a point in mm": (lambda h: h.loads["R", "knee"].wrench.about([1000.0, 900.0, 500.0]), "point_lab_m"),
    "no rotation": (lambda h: h.loads["R", "knee"].wrench.expressed_in("x", 2 * np.eye(3)), "R_lab_frame"),
    "a wrench and a number": (lambda h: h.loads["R", "knee"].wrench.isclose(3.0), "other"),  # type: ignore[arg-type]
    "a centre of mass in mm": (lambda h: Segment("shank", 3.0, np.array([0, 0, 180.0]), np.eye(3) * 0.04), "com_m"),
    "a tensor in kg cm2": (lambda h: Segment("shank", 3.0, np.zeros(3), np.eye(3) * 400.0), "inertia_kgm2"),
    "a mass in g": (lambda h: Segment("shank", 3000.0, np.zeros(3), np.eye(3) * 0.04), "mass_kg"),
    "a model for a path": (lambda h: bid.analyse(h.model), "folder"),  # type: ignore[arg-type]
    "no files": (lambda h: bid.analyse([]), "folder"),
    "a folder that is not there": (lambda h: bid.analyse("nobody/here"), "nobody/here"),
    "mass as text": (lambda h: bid.analyse(".", mass_kg="70"), "mass_kg"),  # type: ignore[arg-type]
    "mass in g to all": (lambda h: bid.analyse(".", mass_kg=70_000), "mass_kg"),
    "a code of nothing": (lambda h: bid.analyse(".", code=" "), "code"),
    "a setting out of range": (lambda h: bid.analyse(".", cutoff_hz=-6.0), "cutoff_hz"),
    "a setting of no kind": (lambda h: bid.analyse(".", marker_filter="off"), "marker_filter"),
    "a static that is not there": (lambda h: bid.analyse(".", static="no.c3d"), "static"),
    "a setting that does not matter here": (lambda h: bid.prepare(h.trial, h.model, event_source="file"), "event_source"),
    "the two swapped": (lambda h: bid.prepare(h.model, h.trial), "trial"),  # type: ignore[arg-type]
    "a folder of nobody": (lambda h: bid.read_folder("nobody/here"), "nobody/here"),
    "a file that is not there": (lambda h: bid.read_c3d("nobody.c3d"), "nobody.c3d"),
    "a marker set nobody has": (lambda h: bid.read_c3d(ROOT / "data" / "static.c3d", marker_set="vicom"), "vicom"),
    "a joint the other way round": (lambda h: h.loads["knee", "R"], "knee"),
    "a marker nobody wears": (lambda h: h.trial.markers["NOSE"], "NOSE"),
    "a body nobody has": (lambda h: bid.virtual_subject(body="giant").walk(), "giant"),  # type: ignore[arg-type]
    "a speed in km/h": (lambda h: bid.virtual_subject(speed_m_s=50.0), "speed_m_s"),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_HAND)
def test_what_people_get_wrong_is_named(hands: Hands, name: str) -> None:
    call, named = BY_HAND[name]
    with pytest.raises(BiomechError) as caught:
        call(hands)
    said_well(caught.value, named)


def test_sixty_wrong_calls_and_more() -> None:
    assert len(BY_HAND) + len(CALLS) >= 60


def test_a_segment_that_the_motion_was_not_made_with(hands: Hands) -> None:
    """A centre of mass that is changed in one place only is refused; changed in both, the loads follow it."""
    motion = hands.motion
    thigh = motion.segments["R", "thigh"]
    moved = replace(thigh, com_m=thigh.com_m + [0.0, 0.0, 0.05])
    with pytest.raises(BiomechError, match=r"com_m of the segment .* but its motion was made with") as caught:
        replace(motion, segments={**motion.segments, ("R", "thigh"): moved})
    said_well(caught.value, "com_m")
    changed = bid.solve(motion.with_segment("R", moved), hands.loads.contacts)
    before, after = (loads["R", "hip"].wrench for loads in (hands.loads, changed))
    known = np.isfinite(before.moment_Nm).all(axis=1)
    assert np.abs(after.moment_Nm - before.moment_Nm)[known].max() > 0.1
    heavier = replace(motion, segments={**motion.segments, ("R", "thigh"): replace(thigh, mass_kg=2 * thigh.mass_kg)})
    assert bid.solve(heavier, hands.loads.contacts)["R", "hip"].wrench.force_N[known].max() != before.force_N[known].max()


def test_a_changed_segment_moves_as_if_it_had_been_tracked(hands: Hands) -> None:
    """The derived acceleration of the centre of mass is the one that tracking with that segment gives, to the spline's error."""
    thigh = hands.motion.segments["R", "thigh"]
    moved = replace(thigh, com_m=thigh.com_m + [0.02, 0.01, 0.05])
    calibration = replace(hands.model.calibration, segments={**hands.model.calibration.segments, ("R", "thigh"): moved})
    tracked = replace(hands.model, calibration=calibration).track(hands.trial).motions["R", "thigh"]
    derived = hands.motion.with_segment("R", moved).motions["R", "thigh"]
    np.testing.assert_allclose(derived.com_lab_m, tracked.com_lab_m, atol=1e-12)
    known = np.isfinite(tracked.com_acceleration_lab_m_s2).all(axis=1)
    difference = (derived.com_acceleration_lab_m_s2 - tracked.com_acceleration_lab_m_s2)[known]
    assert np.abs(difference).max() < 0.05


def test_words_that_name_an_enum_are_its_members() -> None:
    event = bid.Event(1.0, "R", "foot strike")  # type: ignore[arg-type]
    assert (event.side, event.kind) == (Side.RIGHT, EventKind.FOOT_STRIKE)


def test_an_option_that_is_misspelt() -> None:
    with pytest.raises(OptionError, match=r"no option kinetiks\. Did you mean 'kinetics'\?"):
        bid.analyse("subject", kinetiks="vicon")
