"""Anatomical points of a recording, by their names in a marker set.

A marker set says which label lies on which point; points that other software computed and stored in the file (joint centres) count
as well. Recordings keep such points in the file's own unit; a stored hip centre that lies within a hand's breadth of where a
pelvis has it, in one of the usual units, tells which.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.anatomy import SIDE_WORDS
from biomech_id.conventions import SIDES
from biomech_id.errors import MissingInputError
from biomech_id.markersets.marker_set import MarkerSet, default_roles
from biomech_id.trial import Markers, Trial
from biomech_id.values import dataclass

#: Metres per unit of a stored point: metres, centimetres, millimetres.
_UNITS_M = (1.0, 1e-2, 1e-3)
#: A hip centre lies within this distance of the middle of the anterior spines.
_HIP_REACH_M = 0.3
#: Points of the forefoot, the one that carries the foot's axis first.
FOREFOOT: tuple[str, ...] = ("metatarsal_2", "toe", "metatarsal_1", "metatarsal_5")


@dataclass(frozen=True, eq=False)
class BodyPoints:
    """Paths of anatomical points, (n, 3), metres, laboratory axes.

    Attributes
    ----------
    markers : Markers
        The recording's markers under the set's labels.
    markerset : MarkerSet
        Which label lies on which point.
    stored : dict[str, FloatArray]
        Label -> (n, 3), points that other software computed.
    """

    markers: Markers
    markerset: MarkerSet
    stored: dict[str, FloatArray]

    def get(self, side: str, *names: str) -> FloatArray | None:
        """Return the path of the first of several points that the recording shows.

        Parameters
        ----------
        side : str
            Which side, "L" or "R".
        *names : str
            Names of points as marker sets have them ("asis"), the best first.

        Returns
        -------
        FloatArray | None
            (n, 3), metres, laboratory axes, NaN where unseen; None where the recording shows none of them.
        """
        for name in names:
            label = self.label(side, name)
            if label in self.markers and self.markers.present(label):
                return self.markers[label]
            if label in self.stored:
                return self.stored[label]
        return None

    def need(self, side: str, *names: str) -> FloatArray:
        """Return the path of the first of several points that the recording shows.

        Parameters
        ----------
        side : str
            Which side, "L" or "R".
        *names : str
            Names of points as marker sets have them ("asis"), the best first.

        Returns
        -------
        FloatArray
            (n, 3), metres, laboratory axes, NaN where unseen.

        Raises
        ------
        MissingInputError
            None of them is there.
        """
        path = self.get(side, *names)
        if path is None:
            raise MissingInputError(
                f"The markers do not show the {self.words(side, names)}.",
                value=names, expected=self.words(side, names), where=self.markerset.name,
            )  # fmt: skip
        return path

    def label(self, side: str, name: str) -> str:
        """Return the set's label of a point.

        Parameters
        ----------
        side : str
            Which side, "L" or "R".
        name : str
            Name of the point as marker sets have it: "heel".

        Returns
        -------
        str
            "" where the set gives it none.
        """
        return self.markerset.landmarks.get((side, name), self.markerset.landmarks.get(("", name), ""))

    def has(self, side: str, name: str) -> bool:
        """Whether the recording shows a point.

        Parameters
        ----------
        side : str
            Which side, "L" or "R".
        name : str
            Name of the point as marker sets have it: "heel".
        """
        return self.get(side, name) is not None

    def words(self, side: str, names: Iterable[str]) -> str:
        """Say in words which points are meant.

        Parameters
        ----------
        side : str
            Which side, "L" or "R".
        names : Iterable[str]
            Names of points as marker sets have them; none gives "".

        Returns
        -------
        str
            With their labels: "left heel (LHEE), left toe (LTOE)".
        """
        parts = []
        for name in names:
            label = self.label(side, name)
            parts.append(f"{SIDE_WORDS[side]} {name.replace('_', ' ')}".strip() + (f" ({label})" if label else ""))
        return ", ".join(parts)

    def has_posterior(self) -> bool:
        """Whether the back of the pelvis is shown: both posterior spines, or the sacrum."""
        return (self.has("L", "psis") and self.has("R", "psis")) or self.has("", "sacrum")

    def posterior(self) -> FloatArray:
        """Return the middle of the back of the pelvis.

        Returns
        -------
        FloatArray
            (n, 3), metres, laboratory axes: middle of the posterior spines, or the sacrum where a spine is missing.

        Raises
        ------
        MissingInputError
            Neither is there.
        """
        left, right = self.get("L", "psis"), self.get("R", "psis")
        return self.need("", "sacrum") if left is None or right is None else 0.5 * (left + right)

    def has_forefoot(self, side: str) -> bool:
        """Whether any point of the forefoot is shown.

        Parameters
        ----------
        side : str
            Which side, "L" or "R".
        """
        return any(self.has(side, name) for name in FOREFOOT)

    def forefoot(self, side: str) -> FloatArray:
        """Return the point that carries the foot's axis.

        Parameters
        ----------
        side : str
            Which side, "L" or "R".

        Returns
        -------
        FloatArray
            (n, 3), metres, laboratory axes: second metatarsal head, else the toe marker, else as `metatarsal_heads`.

        Raises
        ------
        MissingInputError
            None of them is there.
        """
        second = self.get(side, "metatarsal_2", "toe")
        return self.metatarsal_heads(side) if second is None else second

    def metatarsal_heads(self, side: str) -> FloatArray:
        """Return the middle of the first and fifth metatarsal heads.

        Parameters
        ----------
        side : str
            Which side, "L" or "R".

        Returns
        -------
        FloatArray
            (n, 3), metres, laboratory axes; the best point of the forefoot where one of the heads is missing.

        Raises
        ------
        MissingInputError
            The forefoot has no marker.
        """
        first, fifth = self.get(side, "metatarsal_1"), self.get(side, "metatarsal_5")
        return self.need(side, *FOREFOOT) if first is None or fifth is None else 0.5 * (first + fifth)


def anatomical_points(trial: Trial, markerset: MarkerSet) -> BodyPoints:
    """Return the anatomical points of a recording by a marker set.

    Parameters
    ----------
    trial : Trial
        Its markers, and the points that other software stored in its file.
    markerset : MarkerSet
        Which label lies on which point.

    Returns
    -------
    BodyPoints
        Stored points only where a hip centre among them shows their unit.
    """
    markers = under_set_labels(trial.markers, markerset)
    stored = {label: trial.model_outputs[label] for label in markerset.landmarks.values() if label in trial.model_outputs}
    unit_m = _unit_of(stored, markers, markerset)
    return BodyPoints(markers, markerset, {} if unit_m is None else {label: unit_m * path for label, path in stored.items()})


def under_set_labels(markers: Markers, markerset: MarkerSet) -> Markers:
    """Return the markers under the set's own labels (see `MarkerSet.renamed`).

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    markerset : MarkerSet
        Which label lies on which point, and other spellings of it.

    Returns
    -------
    Markers
        The same paths, with the set's roles.
    """
    return markers.with_roles(markerset.roles, markerset.renamed(markers.names, markers.position_m))


def with_roles(markers: Markers) -> Markers:
    """Return markers that know their roles.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.

    Returns
    -------
    Markers
        Roles as their recording's marker set has them, else by Plug-in Gait's own labels.
    """
    return markers if markers.roles else markers.with_roles(default_roles())


def _unit_of(stored: dict[str, FloatArray], markers: Markers, markerset: MarkerSet) -> float | None:
    """Metres per unit of stored points, or None when no unit puts a stored hip centre inside the pelvis."""
    hips = [stored[label] for side in SIDES if (label := markerset.landmarks.get((side, "hip_centre"), "")) in stored]
    asis = [label for side in SIDES if (label := markerset.landmarks.get((side, "asis"), "")) in markers]
    if not hips or len(asis) < 2:
        return None
    middle = 0.5 * (markers[asis[0]] + markers[asis[1]])
    for unit_m in _UNITS_M:
        distance = np.linalg.norm(unit_m * hips[0] - middle, axis=1)
        if np.isfinite(distance).any() and over_seen(np.nanmedian, distance) < _HIP_REACH_M:
            return unit_m
    return None
