"""Writing a recording of the virtual subject as a C3D file the way a motion-capture vendor does.

Millimetres, newtons and newton millimetres in 32-bit floats; groups SUBJECTS, PROCESSING, EVENT, EVENT_CONTEXT, TRIAL and
MANUFACTURER beside the standard ones; missing points with residual -1; labels beyond the 255th in LABELS2. There is no clock and no
user name in the file: the same recording gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.conventions import ANGLE_VARIABLE, CENTRE_VARIABLE, MM_PER_M, SIDES
from biomech_id.errors import OutputError
from biomech_id.sample.arrays import FloatArray
from biomech_id.sample.plate_channels import PlateChannels, plate_channels
from biomech_id.sample.recording import SampleTrial
from biomech_id.trial import Event, EventKind, Subject, Trial

#: A C3D parameter holds at most this many labels; the next go to LABELS2.
LABELS_PER_PARAMETER = 255
CONTEXT = {"L": "Left", "R": "Right", "": "General"}
ICON = {EventKind.FOOT_STRIKE: 1, EventKind.FOOT_OFF: 2, EventKind.OTHER: 0}
EVENT_DESCRIPTION = {
    EventKind.FOOT_STRIKE: "The instant the heel strikes the ground",
    EventKind.FOOT_OFF: "The instant the toe leaves the ground",
    EventKind.OTHER: "",
}
INTEGER = 2


def write_c3d(sample: SampleTrial, path: Path | str, *, model_outputs: bool = False, unlabelled: int = 0) -> Path:
    """Write a recording as C3D.

    Parameters
    ----------
    sample : SampleTrial
        The recording with its truth.
    path : Path | str
        Where to; the folder must exist and the name must end in ``.c3d``.
    model_outputs : bool, optional
        Also store joint angles (degrees) and joint centres (mm) as a vendor's model would.
    unlabelled : int, optional
        Number of further trajectories named ``*1``, ``*2``... that are seen now and then, as real files have.

    Returns
    -------
    Path
        The path written.

    Raises
    ------
    OutputError
        The folder does not exist, the suffix is another, or nothing was written.
    """
    return _write(sample.trial, path, _points(sample, model_outputs, unlabelled), lambda c3d: _set_subject(c3d, sample))


def write_trial(trial: Trial, path: Path | str) -> Path:
    """Write any trial as C3D; plates of types 1 to 4.

    Parameters
    ----------
    trial : Trial
        The recording; analog channels and plates at one rate.
    path : Path | str
        Where to; the folder must exist and the name must end in ``.c3d``.

    Returns
    -------
    Path
        The path written.

    Raises
    ------
    OutputError
        The folder does not exist, the suffix is another, or nothing was written.
    """
    points = {name: trial.markers[name] * MM_PER_M for name in trial.markers.names}

    def set_subject(c3d: Any) -> None:
        s = trial.subject
        _add(c3d, "SUBJECTS", {"USED": np.array([1]), "USES_PREFIXES": np.array([0]), "NAMES": [s.code]})
        measured = {name: [length * MM_PER_M] for name, length in _lengths(s).items() if length}
        _add(c3d, "PROCESSING", {"Bodymass": [s.mass_kg], **measured} if s.mass_kg else measured)
        _add(c3d, "MANUFACTURER", {"COMPANY": ["biomech_id"]})

    return _write(trial, path, (points, []), set_subject)


def _write(
    trial: Trial, path: Path | str, labelled: tuple[dict[str, FloatArray], list[str]], set_subject: Callable[[Any], None]
) -> Path:
    import ezc3d

    path = Path(path)
    if not path.parent.is_dir() or path.suffix != ".c3d":
        raise OutputError(
            f"Cannot write {path}: the folder must exist and the name must end in .c3d.",
            value=str(path), expected="an existing folder and a lower-case .c3d suffix", where=str(path),
        )  # fmt: skip
    points, angles = labelled
    plates = [plate_channels(plate) for plate in trial.plates]
    c3d = ezc3d.c3d()
    _set_points(c3d, trial, points, angles)
    _set_analogs(c3d, trial, plates)
    _set_force_platform(c3d, plates)
    set_subject(c3d)
    _set_events(c3d, trial)
    path.unlink(missing_ok=True)
    c3d.write(str(path))
    numbers = 4 * len(points) * trial.n_frames + sum(plate.channels.size for plate in plates)
    _check_whole(path, 4 * numbers)
    return path


def _check_whole(path: Path, data_bytes: int) -> None:
    """Refuse a file that is not all there: on a full disk ezc3d breaks off without a word."""
    size = path.stat().st_size if path.is_file() else 0
    # The header's ninth word is the block of 512 bytes, counted from 1, in which the data begin.
    start = int.from_bytes(path.read_bytes()[16:18], "little") if size >= 512 else 1
    expected = 512 * (start - 1) + data_bytes
    if size < expected:
        raise OutputError(
            f"Only {size} of {expected} bytes of {path} could be written; is the disk full?",
            value=size, expected=f"{expected} bytes", where=str(path),
        )  # fmt: skip


def _points(sample: SampleTrial, model_outputs: bool, unlabelled: int) -> tuple[dict[str, FloatArray], list[str]]:
    """Return label -> (n, 3) in file units, and the labels that are angles."""
    trial, truth = sample.trial, sample.truth
    points = {name: trial.markers[name] * MM_PER_M for name in trial.markers.names}
    angles: list[str] = []
    if model_outputs:
        for (side, joint), centre in truth.joint_centres_lab_m.items():
            points[side + CENTRE_VARIABLE[joint]] = centre * MM_PER_M
        for (side, joint), angle in truth.joint_angles_rad.items():
            angles.append(side + ANGLE_VARIABLE[joint])
            points[angles[-1]] = np.degrees(angle)
    for i in range(unlabelled):
        points[f"*{i + 1}"] = _stray(trial, i)
    return points, angles


def _stray(trial: Trial, number: int) -> FloatArray:
    """Return a reflection that is seen for a few frames somewhere in the room."""
    path = np.full((trial.n_frames, 3), np.nan)
    start = (37 * number) % max(trial.n_frames - 5, 1)
    path[start : start + 5] = np.array([-900.0 + 7.0 * number, 1200.0, 400.0 + 3.0 * number])
    return path


def _set_points(c3d: Any, trial: Trial, points: Mapping[str, FloatArray], angles: Sequence[str]) -> None:
    labels = list(points)
    values = np.stack([points[label] for label in labels], axis=1)  # (n, k, 3)
    missing = np.asarray(np.isnan(values).any(axis=2))
    data = np.ones((4, len(labels), trial.n_frames))
    data[:3] = np.where(missing[..., None], 0.0, values).transpose(2, 1, 0)
    point = c3d["parameters"]["POINT"]
    point["RATE"]["value"] = [trial.rate_hz]
    point["SCALE"]["value"] = [-0.01]
    point["UNITS"]["value"] = ["mm"]
    for i, start in enumerate(range(0, len(labels), LABELS_PER_PARAMETER), start=1):
        part = labels[start : start + LABELS_PER_PARAMETER]
        suffix = "" if i == 1 else str(i)
        _add(c3d, "POINT", {f"LABELS{suffix}": part, f"DESCRIPTIONS{suffix}": [""] * len(part)})
    words = {
        "X_SCREEN": "+X", "Y_SCREEN": "+Z", "ANGLE_UNITS": "deg", "FORCE_UNITS": "N", "MOMENT_UNITS": "Nmm", "POWER_UNITS": "W",
    }  # fmt: skip
    _add(c3d, "POINT", {name: [word] for name, word in words.items()})
    if angles:
        _add(c3d, "POINT", {"ANGLES": list(angles), "TYPE_GROUPS": ["ANGLES", "ANGLE"]})
    c3d["data"]["points"] = data
    c3d["data"]["meta_points"] = {
        "residuals": np.where(missing.T[None], -1.0, 0.0),
        "camera_masks": np.zeros((7, len(labels), trial.n_frames), dtype=bool),
    }
    c3d["header"]["points"]["first_frame"] = trial.first_frame - 1  # ezc3d counts from 0
    first, last = trial.first_frame, trial.first_frame + trial.n_frames - 1
    # Two words of 16 bits, the low one first.
    frames = {"ACTUAL_START_FIELD": np.array(divmod(first, 65536)[::-1]), "ACTUAL_END_FIELD": np.array(divmod(last, 65536)[::-1])}
    _add(c3d, "TRIAL", {**frames, "CAMERA_RATE": [trial.rate_hz]})


def _set_analogs(c3d: Any, trial: Trial, plates: Sequence[PlateChannels]) -> None:
    channels = [channel for plate in plates for channel in plate.channels]
    labels = [f"{label}{i}" for i, plate in enumerate(plates, start=1) for label in plate.labels]
    units = [jet_unit for plate in plates for jet_unit in plate.units]
    descriptions = [f"Force Plate [{i}]" for i, plate in enumerate(plates, start=1) for _ in plate.labels]
    muscles = trial.analog
    channels += [muscles.values[:, i] for i in range(len(muscles.names))]
    labels += muscles.names
    units += muscles.units
    descriptions += ["Virtual EMG"] * len(muscles.names)
    analog = c3d["parameters"]["ANALOG"]
    rate_hz = muscles.rate_hz if muscles.names else trial.plates[0].rate_hz if trial.plates else trial.rate_hz
    ratio = round(rate_hz / trial.rate_hz)
    analog["RATE"]["value"] = [trial.rate_hz * ratio if channels else 0.0]
    analog["LABELS"]["value"] = labels
    analog["DESCRIPTIONS"]["value"] = descriptions
    analog["UNITS"]["value"] = units
    analog["SCALE"]["value"] = [1.0] * len(channels)
    analog["OFFSET"]["value"] = [0] * len(channels)
    samples = trial.n_frames * ratio
    c3d["data"]["analogs"] = np.array(channels).reshape(1, len(channels), samples if channels else 0)


def _set_force_platform(c3d: Any, plates: Sequence[PlateChannels]) -> None:
    group = c3d["parameters"]["FORCE_PLATFORM"]
    group["USED"]["value"] = [len(plates)]
    if not plates:
        return
    width = max(len(plate.channels) for plate in plates)
    numbers = np.zeros((width, len(plates)), dtype=int)
    first = 1
    for i, plate in enumerate(plates):
        numbers[: len(plate.channels), i] = np.arange(first, first + len(plate.channels))
        first += len(plate.channels)
    parameters = {
        "TYPE": np.array([plate.kind for plate in plates]),
        "ZERO": np.array([1, 0]),
        "CORNERS": np.stack([plate.corners_mm.T for plate in plates], axis=2),
        "ORIGIN": np.stack([plate.origin_mm for plate in plates], axis=1),
        "CHANNEL": numbers,
    }
    if any(plate.kind == 4 for plate in plates):
        parameters["CAL_MATRIX"] = np.stack([plate.calibration for plate in plates], axis=2)
    _add(c3d, "FORCE_PLATFORM", parameters)


def _set_subject(c3d: Any, sample: SampleTrial) -> None:
    s = sample.trial.subject
    truth, static = sample.truth, not sample.truth.stances
    subjects = {"USED": np.array([1]), "IS_STATIC": np.array([int(static)]), "USES_PREFIXES": np.array([0])}
    _add(c3d, "SUBJECTS", {**subjects, "NAMES": [s.code], "MARKER_SETS": ["PlugInGait LowerBody"]})
    measured = {name: [(length or 0.0) * MM_PER_M] for name, length in _lengths(s).items()}
    _add(c3d, "PROCESSING", {"Bodymass": [s.mass_kg or 0.0], **measured})
    for side in SIDES:
        offsets = truth.static_plantar_flexion_rad[side], truth.static_rotation_offset_rad[side]
        _add(c3d, "PROCESSING", {f"{side}StaticPlantFlex": [offsets[0]], f"{side}StaticRotOff": [offsets[1]]})
    _add(c3d, "MANUFACTURER", {"COMPANY": ["biomech_id"], "SOFTWARE": ["virtual subject"]})


def _lengths(s: Subject) -> dict[str, float | None]:
    """Measurements by the names that PROCESSING has for them, metres."""
    lengths = {"MarkerDiameter": s.marker_diameter_m, "Height": s.height_m, "InterAsisDistance": s.inter_asis_distance_m}
    for side in SIDES:
        for name, values in (("LegLength", s.leg_length_m), ("KneeWidth", s.knee_width_m), ("AnkleWidth", s.ankle_width_m),
                             ("AsisTrocanterDistance", s.asis_trochanter_distance_m)):  # fmt: skip
            lengths[side + name] = values.get(side)
        arms = {"ShoulderOffset": s.shoulder_offset_m, "ElbowWidth": s.elbow_width_m, "WristWidth": s.wrist_width_m}
        for name, values in (arms | {"HandThickness": s.hand_thickness_m}).items():
            if side in values:
                lengths[side + name] = values[side]
    return lengths


def _set_events(c3d: Any, trial: Trial) -> None:
    events: tuple[Event, ...] = trial.events
    _add(c3d, "EVENT_CONTEXT", {"USED": np.array([3]), "LABELS": ["General", "Left", "Right"]})
    _add(c3d, "EVENT", {"USED": np.array([len(events)])})
    if not events:
        return
    times = [[event.time_s // 60 for event in events], [event.time_s % 60 for event in events]]
    parameters = {
        "CONTEXTS": [CONTEXT[event.side] for event in events],
        "ICON_IDS": np.array([ICON[event.kind] for event in events]),
        "LABELS": [event.label or event.kind.value for event in events],
        "DESCRIPTIONS": [EVENT_DESCRIPTION[event.kind] for event in events],
        "SUBJECTS": [trial.subject.code] * len(events),
        "TIMES": np.array(times),
        "GENERIC_FLAGS": np.zeros(len(events), dtype=int),
    }
    _add(c3d, "EVENT", parameters)


def _add(c3d: Any, group: str, parameters: Mapping[str, Any]) -> None:
    """Add lists and arrays to a group; integer arrays keep their type, which ezc3d would otherwise turn into floats."""
    for name, value in parameters.items():
        array = isinstance(value, np.ndarray)
        c3d.add_parameter(group, name, value.astype(float) if array else list(value))
        if array and np.issubdtype(value.dtype, np.integer):
            parameter = c3d["parameters"][group][name]
            parameter["type"] = INTEGER
            parameter["value"] = value
