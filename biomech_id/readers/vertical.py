"""Which axis of the file points up, and the rotation that makes it Z.

Three witnesses, in this order: the plates (the floor is where they lie), the labels (a head or pelvis is above its feet) and
the axes the recording software shows on its screen (POINT:Y_SCREEN, a display setting, often right).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.markersets import MarkerSet, upper_and_lower
from biomech_id.readers.c3d.plate_wrench import plate_axes
from biomech_id.readers.source import FileFindings
from biomech_id.values import dataclass

#: A plate lies flat and a body stands upright if one component is this much of the whole.
CLEARLY = 0.8
#: Rows are the new axes in old components; each is a rotation (determinant +1).
ROTATION_TO_Z_UP: dict[str, FloatArray] = {
    "+Z": np.eye(3),
    "-Z": np.diag([1.0, -1.0, -1.0]),
    "+Y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "-Y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
    "+X": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "-X": np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),
}


@dataclass(frozen=True)
class Vertical:
    """The file's upward axis ("+Z", "+Y"...), the rotation to Z up, and what decided it.

    Attributes
    ----------
    axis : str
        The file's axis that points up, with its sign: "+Z", "-Z", "+Y", ...
    witness : str
        What decided it: "plates", "labels", "screen axes", or "nothing in the file" for the usual +Z.
    """

    axis: str
    witness: str

    @property
    def R_lab_file(self) -> FloatArray:
        """(3, 3), file components to components in laboratory axes with Z up."""
        return ROTATION_TO_Z_UP[self.axis]

    @property
    def up_file(self) -> FloatArray:
        """(3,), unit vector upwards in file axes."""
        return np.asarray(ROTATION_TO_Z_UP[self.axis][2])


def find_vertical(
    corners: Sequence[FloatArray], paths: Mapping[str, FloatArray], screen: str, findings: FileFindings,
    markerset: MarkerSet | None = None,
) -> Vertical:  # fmt: skip
    """Return the file's vertical axis.

    Parameters
    ----------
    corners : Sequence[FloatArray]
        (4, 3) of every usable plate, file axes.
    paths : Mapping[str, FloatArray]
        Marker name -> (n_frames, 3), file axes, any unit.
    screen : str
        POINT:Y_SCREEN, such as "+Z"; may be empty.
    findings : FileFindings
        Takes an axis other than +Z, and plates that contradict the body.
    markerset : MarkerSet | None, optional
        Says which labels are of the pelvis and the feet; common names where there is none.

    Returns
    -------
    Vertical
        The plates' axis before the body's, and that before the screen's; +Z where none of them tells.
    """
    from_plates = _of_plates(corners)
    from_labels = _of_body(paths, markerset)
    from_screen = screen[-1:].upper() if screen[-1:].upper() in ("X", "Y", "Z") else ""
    witnesses = {"plates": from_plates, "labels": from_labels[-1:], "screen axes": from_screen}
    witness, letter = next(((name, axis) for name, axis in witnesses.items() if axis), ("nothing in the file", "Z"))
    sign = from_labels[0] if from_labels[1:] == letter else "+"
    if from_plates and from_labels and from_plates != from_labels[1:]:
        findings.add("vertical-unsure", normal=from_plates, body=from_labels, used=letter)
    vertical = Vertical(sign + letter, witness)
    if vertical.axis != "+Z":
        findings.add("vertical-rotated", axis=vertical.axis, witness=vertical.witness)
    return vertical


def _of_plates(corners: Sequence[FloatArray]) -> str:
    letters = set()
    for each in corners:
        normal = np.abs(plate_axes(each)[:, 2])
        if normal.max() > CLEARLY:
            letters.add("XYZ"[int(normal.argmax())])
    return letters.pop() if len(letters) == 1 else ""


def _of_body(paths: Mapping[str, FloatArray], markerset: MarkerSet | None) -> str:
    """Signed axis from the feet to the upper body, or ""."""
    seen = {name: path[np.isfinite(path).all(axis=1)] for name, path in paths.items()}
    labels = upper_and_lower((name for name, path in seen.items() if len(path)), markerset)
    upper, lower = ([seen[name].mean(axis=0) for name in part] for part in labels)
    if not upper or not lower:
        return ""
    upward = np.mean(upper, axis=0) - np.mean(lower, axis=0)
    length = float(np.linalg.norm(upward))
    if not length > 0 or np.abs(upward).max() < CLEARLY * length:
        return ""
    letter = int(np.abs(upward).argmax())
    return ("+" if upward[letter] > 0 else "-") + "XYZ"[letter]
