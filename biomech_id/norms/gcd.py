"""Means and SDs in a ``.gcd`` file, the text format in which Polygon and its kin keep a normal band, as rows of ``norm.csv``.

After the first line and a header, ``!KneeFlexExt 3`` stands above one row "mean sd" for every second percent of the cycle. The
file says neither of whom it is nor how its moments are meant: what an imported norm must say (`norms.imported`) is written into
its header as lines ``# key: value``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError, OptionError

#: How the first line begins.
_FIRST = "#!DST-0"
#: Percents of the cycle at which a curve is given.
_PERCENT = range(0, 101, 2)
#: Name in the file -> variable and component of cycles.csv; signs are those of Plug-in Gait in both.
GCD_CURVES: dict[str, tuple[str, str]] = {
    "PelvicTilt": ("PelvisAngles", "X"), "PelvicObliquity": ("PelvisAngles", "Y"), "PelvicRotation": ("PelvisAngles", "Z"),
    "HipFlexExt": ("HipAngles", "X"), "HipAbAdduct": ("HipAngles", "Y"), "HipRotation": ("HipAngles", "Z"),
    "KneeFlexExt": ("KneeAngles", "X"), "KneeValgVar": ("KneeAngles", "Y"), "KneeRotation": ("KneeAngles", "Z"),
    "DorsiPlanFlex": ("AnkleAngles", "X"), "FootRotation": ("AnkleAngles", "Z"), "FootProgression": ("FootProgressAngles", "Z"),
    "HipFlexExtMoment": ("HipMoment", "X"), "HipAbAdductMoment": ("HipMoment", "Y"), "HipRotationMoment": ("HipMoment", "Z"),
    "KneeFlexExtMoment": ("KneeMoment", "X"), "KneeValgVarMoment": ("KneeMoment", "Y"), "KneeRotationMoment": ("KneeMoment", "Z"),
    "DorsiPlanFlexMoment": ("AnkleMoment", "X"), "FootRotationMoment": ("AnkleMoment", "Z"),
    "HipPower": ("HipPower", ""), "KneePower": ("KneePower", ""), "AnklePower": ("AnklePower", ""),
}  # fmt: skip
#: Key of the unit of moments, and by what a number in each is multiplied to be in N m/kg.
MOMENT_UNIT, _SCALES = "moment_unit", {"N m/kg": 1.0, "N mm/kg": 1e-3}


def gcd_table(lines: Sequence[str], stated: Mapping[str, str], path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the curves of a file that this program computes, and the names of all else in it.

    Parameters
    ----------
    lines : Sequence[str]
        All lines of the file, without line ends.
    stated : Mapping[str, str]
        What its header says besides: ``moment_unit`` where there are moments.
    path : Path
        Of the file, for errors.

    Returns
    -------
    table : pd.DataFrame
        ``variable, component, percent, mean, sd`` as text; moments in N m/kg, in the file's own convention.
    others : tuple[str, ...]
        Names in the file of what is not taken.

    Raises
    ------
    FileRefusedError
        It does not begin as such files do, has no curve, or a curve is not one of means and SDs at 51 percents.
    OptionError
        It has moments, and does not say their unit.
    """
    if not lines or not lines[0].startswith(_FIRST):
        first = lines[0][:40] if lines else ""
        raise _refused(path, f"does not begin with {_FIRST}.GCD, as such a file does", first)
    blocks: dict[str, list[tuple[int, str]]] = {}
    name = ""
    for number, line in enumerate(map(str.strip, lines), 1):
        if line.startswith("!"):
            name = (line[1:].split() or [""])[0]
            if name in blocks:
                raise _refused(path, f"has !{name} twice, the second time in line {number}", name)
            blocks[name] = []
        elif name and line and not line.startswith("#"):
            blocks[name].append((number, line))
    taken = [name for name in blocks if name in GCD_CURVES]
    if not taken:
        raise _refused(
            path, "has no curve of a mean person: !KneeFlexExt, say (one person's are called !LeftKneeFlexExt)", list(blocks)
        )
    parts = []
    for name in taken:
        (variable, component), values = GCD_CURVES[name], _values(blocks[name], name, path)
        values *= _scale(stated, name, path) if variable.endswith("Moment") else 1.0
        rows = {"variable": variable, "component": component, "percent": _PERCENT, "mean": values[:, 0], "sd": values[:, 1]}
        parts.append(pd.DataFrame(rows).astype(str))
    return pd.concat(parts, ignore_index=True), tuple(name for name in blocks if name not in GCD_CURVES)


def _values(rows: Sequence[tuple[int, str]], name: str, path: Path) -> FloatArray:
    """Mean and SD at each percent; shape (51, 2)."""
    if len(rows) != len(_PERCENT):
        raise _refused(
            path, f"has {len(rows)} rows below !{name} where {len(_PERCENT)} belong, one for every second percent", len(rows)
        )
    values = np.array([_mean_and_sd(line) for _, line in rows])
    known = np.isfinite(values).all(axis=1)
    if not known.all():
        number, line = rows[int(np.argmin(known))]
        raise _refused(path, f"has {line[:40]!r} in line {number}, below !{name}, where a mean and an SD belong", line)
    return values


def _mean_and_sd(line: str) -> tuple[float, float]:
    try:
        mean, sd = map(float, line.split())
    except ValueError:
        return np.nan, np.nan
    return mean, sd


def _scale(stated: Mapping[str, str], name: str, path: Path) -> float:
    unit = stated.get(MOMENT_UNIT, "")
    if unit not in _SCALES:
        raise OptionError(
            f"{path.name} holds joint moments (!{name}) and does not say their unit: write `# {MOMENT_UNIT}: N m/kg` or "
            f"`# {MOMENT_UNIT}: N mm/kg` below its first line.",
            value=unit, expected=" or ".join(_SCALES), where=str(path),
        )  # fmt: skip
    return _SCALES[unit]


def _refused(path: Path, why: str, value: object) -> FileRefusedError:
    return FileRefusedError(f"{path.name} {why}.", value=value, expected="curves of means and SDs", where=str(path))
