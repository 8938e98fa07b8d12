"""A table of forces that no ``ExternalLoads`` explains: which of its columns are a force, where it acts, and on which foot.

Tables of forces come without their ``ExternalLoads`` from OpenCap, from laboratories' own exports and from OpenSim's examples. The
columns say what they are: three that end with vx, vy, vz are a force, those that end with px, py, pz where it acts, and mx, my, mz
(or "torque" in the place of "force" and x, y, z) its free moment, all in the ground's axes. A stem with "r", "l", "right" or "left"
among its words is that foot's.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.errors import FileRefusedError
from biomech_id.files.inputs import reading_once
from biomech_id.languages import Sentence
from biomech_id.readers.opensim.loads import ExternalForceColumns
from biomech_id.readers.opensim.storage import StorageTable, even_rate_hz, read_storage
from biomech_id.readers.opensim.trial import FOOT_BODIES, opensim_plate
from biomech_id.trial import Markers, Trial

#: Words of a stem that name a foot.
_FEET = {"r": "calcn_r", "right": "calcn_r", "l": "calcn_l", "left": "calcn_l"}


def force_columns(columns: tuple[str, ...]) -> tuple[ExternalForceColumns, ...]:
    """Return the forces that a table's columns name, in their order.

    Parameters
    ----------
    columns : tuple[str, ...]
        Names, without the time's.

    Returns
    -------
    tuple[ExternalForceColumns, ...]
        One for each pair of force and point; empty where the names follow no known way.

    Examples
    --------
    >>> from biomech_id.readers.opensim.force_columns import force_columns
    >>> names = [f"{stem}{axis}" for stem in ("R_ground_force_v", "R_ground_force_p", "R_ground_torque_") for axis in "xyz"]
    >>> [(found.force, found.torque, found.body) for found in force_columns(tuple(names))]
    [('R_ground_force_v', 'R_ground_torque_', 'calcn_r')]
    """
    known = set(columns)

    def there(stem: str) -> bool:
        return all(stem + axis in known for axis in "xyz")

    forces = []
    for column in columns:
        base = column.removesuffix("vx")
        if base == column or not (there(base + "v") and there(base + "p")):
            continue
        torque = next((stem for stem in (base + "m", base.replace("force", "torque"), base + "t") if there(stem)), "")
        words = re.split(r"[^a-z]+", base.lower())
        body = next((_FEET[word] for word in words if word in _FEET), "")
        name = base.strip("_") or "force"
        forces.append(ExternalForceColumns(name, body, base + "v", base + "p", torque))
    return tuple(forces)


def read_force_columns(path: Path) -> Trial:
    """Read a ``.mot`` or ``.sto`` of forces by the names of its columns: plates on its own clock, and no markers.

    Parameters
    ----------
    path : Path
        The ``.mot`` or ``.sto`` file with the forces.

    Returns
    -------
    Trial
        Plates in laboratory axes, N, N m and m, one frame a row.

    Raises
    ------
    FileRefusedError
        It cannot be read, or no columns are a force with a point where it acts.
    InvalidValueError
        Forces that are not numbers.
    """
    with reading_once() as seen:
        data: StorageTable = read_storage(path)
        sha256 = seen.sha256(path)
    forces = force_columns(data.columns)
    if not forces:
        words = (
            f"{path.name} is a table of numbers; no ExternalLoads file beside it says which of them are forces on which foot, "
            "and no columns are named as a force (..vx, ..vy, ..vz) and its point (..px, ..py, ..pz)."
        )
        raise FileRefusedError.at(path, words, "an ExternalLoads .xml that names it, or columns like ground_force_vx")
    rate_hz = even_rate_hz(data.time_s, data.name)
    # A recording's clock begins at 0: what a file holds of the time before that belongs to no frame.
    rows: Any = np.flatnonzero(data.time_s > -0.5 / rate_hz)
    if len(rows) < 2:
        words = f"{path.name} ends at {data.time_s[-1]:g} s, before a recording's clock begins."
        raise FileRefusedError.at(path, words, "forces at times from 0 s")
    plates = tuple(opensim_plate(each, data, rows, rate_hz, path, side=FOOT_BODIES.get(each.body, "")) for each in forces)
    no_markers = Markers((), np.zeros((len(rows), 0, 3)), rate_hz)
    first = 1 + max(0, round(float(data.time_s[rows[0]]) * rate_hz))
    return Trial(
        path.stem, no_markers, plates, first_frame=first, path=str(path), sha256=sha256,
        history=(Sentence("forces-by-columns", {"file": path.name}),),
    )  # fmt: skip
