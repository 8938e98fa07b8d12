"""Every recording at hand is called what it is: a table of what people did, by the laboratories' words and by eye.

A recording whose feet nobody can name (rigid clusters, numbered points, heels never seen) is not judged; it is called nothing else.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from biomech_id.errors import FileRefusedError
from biomech_id.feet.feet import classify, find_feet
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.readers.formats import read
from biomech_id.signal.runs import runs

pytestmark = pytest.mark.real

WALK, TURN, RUN, STANDING = TrialKind.STRAIGHT, TrialKind.TURN, TrialKind.RUN, TrialKind.STATIC
JUMP, SQUAT, OTHER, NOBODY = TrialKind.JUMP, TrialKind.SQUAT, TrialKind.OTHER, TrialKind.NOT_JUDGED
#: Recording, or folder of recordings -> what its people do. Some folders hold more than one movement: their files are named.
MOVEMENTS: dict[str, TrialKind] = {
    # Children: one stands, one walks, one turns by 90 degrees over both plates.
    **{f"children/{name}.c3d": STANDING for name in (
        "HC002D/HC002D02", "HC030A/HC030A01", "HC031A/HC031A01", "HC032A/HC032A01", "HC033A/HC033A01", "HC036A/HC036A01")},
    **{f"children/{name}.c3d": WALK for name in (
        "HC002D/HC002D06", "HC030A/HC030A05", "HC031A/HC031A06", "HC032A/HC032A03", "HC033A/HC033A10", "HC036A/HC036A10")},
    **{f"children/{name}.c3d": TURN for name in (
        "HC002D/HC002D25", "HC030A/HC030A22", "HC031A/HC031A23", "HC032A/HC032A18", "HC033A/HC033A22", "HC036A/HC036A23")},
    "norm_subjects": WALK,
    # From a box onto one leg and up again; the fourth walks.
    **{f"drop_jump/FAILT01_SLDJ0{i}.c3d": JUMP for i in (1, 2, 3)},
    "drop_jump/FAILT01_Walk01.c3d": WALK,
    "drop_jump/FAILT01_static02.c3d": STANDING,
    "five_walks_emg": WALK,
    # Standing on one leg, the other moves.
    **{f"functional/Test_func_{s}{joint}.c3d": OTHER for s in "lr" for joint in ("ankle", "hip", "knee")},
    "functional/Test_func_anat.c3d": STANDING,
    "functional/anatomical_posture.c3d": STANDING,
    "functional/Test_func_trunk.c3d": NOBODY,
    "helen_hayes/HHMotion.c3d": WALK,
    "helen_hayes/HHStatic.c3d": STANDING,
    "helen_hayes/HHStaticOneFrame.c3d": STANDING,
    # Model outputs alone.
    "helen_hayes/HHMotion_results.c3d": NOBODY,
    "helen_hayes/HHStatic_results.c3d": NOBODY,
    "knee_device/kad/PiGKad_Motion.c3d": WALK,
    "knee_device/kad/PiGKad_Calibration.c3d": STANDING,
    "knee_device/kad_medial/PiGKadMed_Motion.c3d": WALK,
    "knee_device/kad_medial/PiGKadMed_Calibration.c3d": STANDING,
    **{f"leardini/{name}.c3d": WALK for name in ("trial02", "trial02_out", "trial03", "trial03_out")},
    "leardini/static01.c3d": STANDING,
    "markerless/opencap/walking1.trc": WALK,
    "markerless/opencap/static1.trc": STANDING,
    # Over a beam in big steps; the pelvis has no marker.
    "markerless/pose2sim/balancing.trc": WALK,
    "markerless/pose2sim/static.trc": STANDING,
    # Poses of segments, and no points.
    "markerless/theia_pose.c3d": NOBODY,
    "motionmonitor/gait_with_emg.c3d": WALK,
    "motionmonitor/static_pose.c3d": STANDING,
    # A sprint at 9.5 m/s over eight plates; somebody boxing; squats.
    "nimble/JA1Gait35.c3d": RUN,
    "nimble/cmu_02_05.c3d": OTHER,
    "nimble/squat.c3d": SQUAT,
    "opensim": WALK,
    "plug_in_gait/PiG_Calibration-FlatFoot-One.c3d": STANDING,
    **{f"plug_in_gait/PiG_Calibration3_{name}.c3d": STANDING for name in ("FF", "FF_N18", "noFF")},
    **{f"plug_in_gait/PiG_Motion{name}.c3d": WALK for name in ("-FlatFoot-One", "3_FF", "3_FF_N18", "3_noFF")},
    "pycgm/Sample_2/RoboStatic.c3d": STANDING,
    "swaying_static/PiG_Calibration4.c3d": STANDING,
    "swaying_static/PiG_Motion4_noFF_noHO.c3d": WALK,
    # At 3.5 m/s on a belt; of the other runner only clusters.
    "treadmill_run/RBDS001runT35.c3d": RUN,
    "treadmill_run/RBDS001static.c3d": STANDING,
    "treadmill_run/markers_only_run.c3d": NOBODY,
    "vendors/BTS.c3d": WALK,
    "vendors/Qualisys.c3d": WALK,
    # Moving an arm, numbered points, two frames.
    "vendors/Vicon.c3d": NOBODY,
    "vendors/Optotrak.c3d": NOBODY,
    "vendors/FP_Type3.c3d": NOBODY,
    "walking/bmc_gait.c3d": WALK,
    "others/ADemo1_rewrite_c3d_pc_integer.c3d": WALK,
    "others/FunctionalStatic.c3d": STANDING,
    # An ice-hockey shot on the spot.
    "others/zoo_ti003.c3d": OTHER,
    # Walks whose feet carry no heel marker, or clusters, or points without names.
    "others/561xxa01_anonym.C3D": NOBODY,
    "others/badParameterOffset.c3d": NOBODY,
    "vcm": NOBODY,
    "c3d_org": NOBODY,
    "emg": NOBODY,
}  # fmt: skip


def told(path: str) -> TrialKind | None:
    """What the table says of a recording, the file before its folder."""
    return next((MOVEMENTS[key] for key in (path, *map(str, Path(path).parents)) if key in MOVEMENTS), None)


def recordings(c3d_dir: Path) -> list[str]:
    """Every recording that the laboratories' facts or the table name."""
    listed = [
        json.loads((c3d_dir / name).read_text(encoding="utf-8"))["files"] for name in ("facts.json", "facts_laboratories.json")
    ]
    paths = {file["path"] for files in listed for file in files}
    paths |= {path for path in (str(p.relative_to(c3d_dir)) for p in c3d_dir.rglob("*.*")) if told(path)}
    return sorted(path for path in paths if Path(path).suffix.lower() in (".c3d", ".trc") and (c3d_dir / path).is_file())


def test_every_recording_is_called_what_it_is(c3d_dir):
    wrong, judged = {}, 0
    for path in recordings(c3d_dir):
        try:
            trial = read(c3d_dir / path)
        except FileRefusedError:
            continue
        kind = classify(trial)
        judged += kind is not NOBODY
        if kind is not told(path):
            wrong[path] = (str(kind), str(told(path)))
    assert wrong == {}
    assert judged > 70


@pytest.mark.parametrize("name", ["knee_device/kad/PiGKad_Motion", "children/HC032A/HC032A18"])
def test_who_loads_a_plate_does_not_fly(c3d_dir, name):
    """A check of its own, from the plates' raw sums: no frame that is called flight carries a tenth of a typical step's force."""
    trial = read(c3d_dir / f"{name}.c3d")
    find_landmarks(trial)
    travel = find_feet(trial).travel
    vertical_N = sum(plate.force_lab_N[:, 2] for plate in trial.plates)
    ratio = len(vertical_N) // trial.n_frames
    at_frames_N = vertical_N[: trial.n_frames * ratio].reshape(trial.n_frames, ratio).mean(axis=1)
    loaded = find_feet(trial).support.loaded
    assert at_frames_N[~loaded].max() < 0.1 * at_frames_N.max()
    assert travel.kind.walking
    assert travel.flight_share < 0.03


def test_both_feet_are_off_the_ground_in_a_jump(c3d_dir):
    """Both feet are clear of whatever they stood on, box or floor, for half the time at least that the pelvis is said to fall."""
    for number in (1, 2, 3):
        trial = read(c3d_dir / "drop_jump" / f"FAILT01_SLDJ0{number}.c3d")
        landmarks = find_landmarks(trial)
        travel = find_feet(trial).travel
        assert travel.reason.rule == "falls-freely"
        paths = [*landmarks.heel_lab_m.values(), *landmarks.toe_lab_m.values()]
        lowest_m = np.min([path[:, 2] for path in paths], axis=0)
        last_contact = max(np.flatnonzero(find_feet(trial).support.loaded))
        clear = lowest_m[last_contact + 1 :] > np.nanmin(lowest_m) + 0.05
        clear_s = max(last - first for first, last in runs(clear)) / trial.rate_hz
        assert clear_s > 0.5 * travel.reason.values["fall_ms"] / 1e3 > 0.1
