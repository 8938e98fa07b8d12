"""Recordings as files: C3D, OpenSim's TRC with the forces beside it, and its MOT with the ExternalLoads that belong to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from biomech_id.arguments import a, a_path, takes
from biomech_id.errors import InvalidValueError, OutputError
from biomech_id.exports.opensim.loads import GroundLoad, ground_table, write_external_loads
from biomech_id.readers.opensim.trc import MarkerTable
from biomech_id.readers.opensim.trial import R_LAB_GROUND
from biomech_id.sample.c3d import write_trial
from biomech_id.trial import AnalogChannels, ForcePlate, Trial
from biomech_id.writers.opensim_text import write_storage, write_trc

#: Vertical force from which a centre of pressure is written as measured, N.
PRESSURE_FROM_N = 20.0


@takes(trial=a(Trial, "read_c3d(path) returns one"), path=a_path("name a .c3d, .trc or .mot file"))
def write(trial: Trial, path: str | PathLike[str]) -> Path:
    """Write a recording to a file of the format that its name says; ``read`` reads it back.

    ``.c3d`` holds markers, plates, analog channels, events and measurements in 32-bit floats; ``.trc`` the markers, and beside it
    the plates' forces where there are any; ``.mot`` the forces alone.

    Parameters
    ----------
    trial : Trial
        The recording to write, in SI as read.
    path : str | os.PathLike[str]
        The file; its folder must be there.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OutputError
        The folder is not there, or the name ends otherwise.
    InvalidValueError
        Analog channels and plates at different rates, which a C3D file cannot hold; forces that are no numbers.
    """
    path = Path(fspath(path))
    how = _WRITERS.get(path.suffix)
    if how is None or not path.parent.is_dir():
        words = f"Cannot write {path}: the folder must exist and the name must end in {', '.join(_WRITERS)}."
        raise OutputError(words, value=str(path), expected=" or ".join(_WRITERS), where="write")
    return how(trial, path)


def _c3d(trial: Trial, path: Path) -> Path:
    own = [i for i, plate in enumerate(trial.analog.plates) if plate is None]
    analog = trial.analog
    rates = {plate.rate_hz for plate in trial.plates} | ({analog.rate_hz} if own else set())
    if len(rates) > 1:
        raise InvalidValueError(
            f"{trial.name} has plates and analog channels at {', '.join(f'{rate:g}' for rate in sorted(rates))} Hz; "
            "a C3D file has one analog rate.",
            value=sorted(rates), expected="one rate", where=trial.name,
        )  # fmt: skip
    if own:
        values = np.nan_to_num(analog.values[:, own])
        analog = AnalogChannels(
            tuple(analog.names[i] for i in own), tuple(analog.units[i] for i in own), analog.rate_hz, values,
        )  # fmt: skip
    # Plates are written with the channels of the commonest type: their own may have been of one that nobody can write.
    plates = tuple(replace(plate, kind=2) for plate in trial.plates)
    return write_trial(replace(trial, plates=plates, analog=analog if own else AnalogChannels()), path)


def _trc(trial: Trial, path: Path) -> Path:
    markers = trial.markers
    position_m = markers.position_m @ R_LAB_GROUND
    write_trc(path, MarkerTable(markers.names, position_m, trial.rate_hz, trial.first_frame, trial.time_s, "mm"))
    if trial.plates:
        _mot(trial, path.with_name(f"{path.stem}_grf.mot"))
    return path


def _mot(trial: Trial, path: Path) -> Path:
    feet = [plate.foot for plate in trial.plates]
    named = all(feet) and len(set(feet)) == len(feet)
    if not trial.plates or len({plate.rate_hz for plate in trial.plates}) > 1:
        words = f"{trial.name} has no plates of one rate, whose forces could be written."
        raise InvalidValueError(words, value=len(trial.plates), expected="force plates", where=trial.name)
    labels = [foot.lower() for foot in feet] if named else [str(number) for number in range(1, len(feet) + 1)]
    loads = tuple(_load(plate, label) for plate, label in zip(trial.plates, labels, strict=True))
    first = trial.plates[0]
    time_s = trial.first_time_s + np.arange(first.n_samples) / first.rate_hz
    floor_m = float(np.median([plate.centre_m[2] for plate in trial.plates]))
    table = ground_table(path.stem, time_s, loads, R_LAB_GROUND.T, floor_m=floor_m, pressure_from_N=PRESSURE_FROM_N)
    write_storage(path, table)
    if named:
        # Which foot a plate's force acts on is known, and only then can it be said.
        write_external_loads(path.with_suffix(".xml"), path.name, dict(zip(feet, loads, strict=True)))
    return path


def _load(plate: ForcePlate, label: str) -> GroundLoad:
    moment = plate.moment_lab_Nm + np.cross(plate.centre_m, plate.force_lab_N)
    return GroundLoad(label, plate.force_lab_N, moment)


_WRITERS: dict[str, Callable[[Trial, Path], Path]] = {".c3d": _c3d, ".trc": _trc, ".mot": _mot}
