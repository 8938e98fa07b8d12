"""Which pose of a file is which segment, and how its axes lie in that segment: a table for each system, as TOML.

ISB's axes (X anterior, Y proximal, Z to the subject's right) are written in the axes of the file's segments, so that
``R_lab_isb = R_lab_file @ R_file_isb``. A table whose axes a recording contradicts is refused: the knee lies below the hip, the
ankle below the knee, the right hip to the right of the left one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.vectors import matvec_transposed
from biomech_id.anatomy import PELVIS, Part, part_words
from biomech_id.conventions import SIDES
from biomech_id.errors import InvalidValueError
from biomech_id.plugins import Registry
from biomech_id.trial.rotations import Rotations
from biomech_id.values import dataclass, field

#: Sets that are shipped.
POSE_SETS: tuple[str, ...] = ("theia", "biomech-id")
#: An axis of a table points where the recording's joints say, to within this (cosine).
LEAST_COSINE = 0.8
_AXES = {f"{sign}{axis}": (1.0 if sign == "+" else -1.0) * np.eye(3)[k] for k, axis in enumerate("xyz") for sign in "+-"}


@dataclass(frozen=True, eq=False)
class PoseSet:
    """The segments of one system.

    Attributes
    ----------
    name : str
        What programs call the system: "theia".
    title : str
        What people call it.
    segments : Mapping[Part, str]
        ("", "pelvis") and (side, "thigh" | "shank" | "foot") -> label of the pose, without its ending.
    R_file_isb : FloatArray
        (3, 3), columns are ISB's axes in the axes of the file's segments.
    endings : tuple[str, ...], optional
        What labels may end with, such as "_4X4"; it is ignored.
    others : Mapping[str, str], optional
        Further labels -> what they are.
    toes : Mapping[str, str], optional
        Side -> label of the pose whose origin lies between the metatarsal heads.

    Raises
    ------
    InvalidValueError
        Axes that are no right-handed triad.
    """

    name: str
    title: str
    segments: Mapping[Part, str]
    R_file_isb: FloatArray
    endings: tuple[str, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    toes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        gram = self.R_file_isb.T @ self.R_file_isb
        if not np.allclose(gram, np.eye(3), atol=1e-9) or np.linalg.det(self.R_file_isb) < 0:
            raise InvalidValueError(
                f"The axes of the pose set {self.name} are no right-handed triad.",
                value=self.R_file_isb.tolist(), expected="anterior x proximal = right", where=self.name,
            )  # fmt: skip

    def plain(self, label: str) -> str:
        """Return a label without its ending.

        Parameters
        ----------
        label : str
            As the file has it: "L_Thigh_4X4".

        Returns
        -------
        str
            In lower case; the label itself where it has no such ending.

        Examples
        --------
        >>> from biomech_id.models.poses.pose_set import shipped_pose_set
        >>> shipped_pose_set("theia").plain("L_Thigh_4X4")
        'l_thigh'
        """
        low = label.lower()
        ending = next((ending.lower() for ending in self.endings if low.endswith(ending.lower())), "")
        return low.removesuffix(ending)

    def labels(self, names: Sequence[str]) -> dict[Part, str]:
        """Return the file's labels of the segments.

        Parameters
        ----------
        names : Sequence[str]
            Labels of the file's poses.

        Returns
        -------
        dict[Part, str]
            Part -> label, of those parts that are there.
        """
        return {part: label for part, wanted in self.segments.items() if (label := self.find(names, wanted))}

    def find(self, names: Sequence[str], wanted: str) -> str:
        """Return the file's own label of a pose.

        Parameters
        ----------
        names : Sequence[str]
            Labels of the file's poses.
        wanted : str
            Label as the set has it, without ending.

        Returns
        -------
        str
            "" where the file has none.
        """
        return next((name for name in names if self.plain(name) == wanted.lower()), "")

    def words(self, label: str) -> str:
        """Return what a pose is in words.

        Parameters
        ----------
        label : str
            As the file has it, with its ending.

        Returns
        -------
        str
            "left thigh"; "" for one that the table does not know.

        Examples
        --------
        >>> from biomech_id.models.poses.pose_set import shipped_pose_set
        >>> shipped_pose_set("theia").words("r_toes_4X4")
        'right toes'
        """
        plain = self.plain(label)
        part = next((part for part, own in self.segments.items() if own.lower() == plain), None)
        return part_words(part) if part else next((words for own, words in self.others.items() if own.lower() == plain), "")


_REGISTERED: Registry[str, PoseSet] = Registry("pose set")


def register_pose_set(new: PoseSet) -> None:
    """Let the library know another system's poses; asked before the shipped ones.

    Parameters
    ----------
    new : PoseSet
        Labels and axes of the system; it comes before the shipped ones.
    """
    _REGISTERED.pop(new.name, None)  # one that is known already comes to the front
    _REGISTERED[new.name] = new


@cache
def shipped_pose_set(name: str) -> PoseSet:
    """Return a shipped table.

    Parameters
    ----------
    name : str
        A name in `POSE_SETS`.

    Returns
    -------
    PoseSet
        Read from its TOML file once.

    Examples
    --------
    >>> from biomech_id.models.poses.pose_set import shipped_pose_set
    >>> theia = shipped_pose_set("theia")
    >>> theia.R_file_isb @ [1.0, 0.0, 0.0]  # what is forward in ISB's axes is +y in the file's
    array([0., 1., 0.])
    """
    table: dict[str, Any] = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))
    axes = np.stack([_AXES[table[direction]] for direction in ("anterior", "proximal", "right")], axis=1)
    parts = {(*part.split(" "),) if " " in part else ("", part): label for part, label in table["segments"].items()}
    segments: dict[Part, str] = {(part[0], part[1]): label for part, label in parts.items()}
    return PoseSet(table["name"], table["title"], segments, axes, tuple(table["endings"]), table["others"], table["toes"])


def pose_set_of(rotations: Rotations) -> PoseSet | None:
    """Return the table that knows a recording's poses.

    Parameters
    ----------
    rotations : Rotations
        Poses of a recording; only their names are asked.

    Returns
    -------
    PoseSet | None
        The first that finds a pelvis and a whole leg; None where none does.

    Examples
    --------
    >>> from biomech_id.models.poses.pose_set import pose_set_of
    >>> from biomech_id.trial import Rotations
    >>> pose_set_of(Rotations()) is None
    True
    """
    for known in (*reversed([*_REGISTERED.values()]), *map(shipped_pose_set, POSE_SETS)):
        labels = known.labels(rotations.names)
        if PELVIS in labels and any(all((side, name) in labels for name in ("thigh", "shank", "foot")) for side in SIDES):
            return known
    return None


def refuse_other_axes(known: PoseSet, rotations: Rotations, where: str) -> None:
    """Refuse poses whose joints lie elsewhere than the table's axes say.

    Parameters
    ----------
    known : PoseSet
        Table of the recording's system.
    rotations : Rotations
        Poses of a recording.
    where : str
        Name of the recording, for messages.

    Raises
    ------
    InvalidValueError
        An axis of a segment does not point to the joint that it should point to.
    """
    labels, R = known.labels(rotations.names), known.R_file_isb
    checks = [((side, upper), (side, upper), (side, lower), -R[:, 1])
              for side in SIDES for upper, lower in (("thigh", "shank"), ("shank", "foot"))]  # fmt: skip
    checks += [(PELVIS, ("L", "thigh"), ("R", "thigh"), R[:, 2])]
    for owner, start, end, along in checks:
        if not {owner, start, end} <= set(labels):
            continue
        turned, _ = rotations.of(labels[owner])
        arm = matvec_transposed(turned, rotations.of(labels[end])[1] - rotations.of(labels[start])[1])
        with np.errstate(invalid="ignore", divide="ignore"):
            cosine = float(over_seen(np.nanmedian, arm @ along / np.linalg.norm(arm, axis=1)))
        if cosine < LEAST_COSINE:
            raise InvalidValueError(
                f"{where}: the axes of the {part_words(owner)} are not those of {known.title}: the {part_words(end)} begins "
                f"{np.degrees(np.arccos(cosine)):.0f} degrees from where they say.",
                value=cosine, expected=f"a cosine of at least {LEAST_COSINE:g}", where=where,
            )  # fmt: skip
