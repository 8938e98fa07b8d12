"""Markers on the virtual subject's skin: rigid ones, soft ones, noisy ones and missing ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.errors import OptionError
from biomech_id.sample.arrays import Array, FloatArray
from biomech_id.sample.body import Person
from biomech_id.sample.motion import Posture
from biomech_id.trial import Markers
from biomech_id.values import dataclass

#: Share of the thigh's soft-tissue shift that the shank's skin shows.
SHANK_SOFTNESS = 0.5
#: A gap: marker, first and last missing frame in the recording's own numbering.
Loss = tuple[str, int, int]


def marker_paths(body: Person, pose: Posture, soft_tissue_m: float = 0.0) -> dict[str, Array]:
    """Paths of the markers of pelvis and legs.

    Parameters
    ----------
    body : Person
        Constants of the person who wears them.
    pose : Posture
        The body's pose at those times.
    soft_tissue_m : float, optional
        How far the thigh's markers (but not the knee's) ride up the bone with the knee bent at a right angle.

    Returns
    -------
    dict[str, Array]
        Marker -> (n, 3), laboratory axes, m.
    """
    paths = {
        name: _carried(pose.pelvis.R_lab_pelvis.value, pose.pelvis.origin_m.value, p) for name, p in body.pelvis_markers_m.items()
    }
    up = np.array([0.0, 0.0, soft_tissue_m])
    for side, leg in pose.legs.items():
        flexion = 1.0 - (leg.R_lab_thigh.value[..., 2] * leg.R_lab_shank.value[..., 2]).sum(axis=-1)
        for R, origin, markers, softness in (
            (leg.R_lab_thigh, leg.knee_m, body.thigh_markers_m, 1.0),
            (leg.R_lab_shank, leg.ankle_m, body.shank_markers_m, SHANK_SOFTNESS),
        ):
            for (owner, name), place in markers.items():
                if owner == side:
                    soft = name not in ("KNE", "KNM", "ANK", "ANM") and soft_tissue_m != 0.0
                    where = place + flexion[:, None] * up * softness if soft else place
                    paths[side + name] = _carried(R.value, origin.value, where)
        sole = pose.soles[side]
        paths |= {side + n: _carried(sole.R_lab_sole.value, sole.origin_m.value, p) for n, p in body.feet[side].markers_m.items()}
    return paths


@dataclass(frozen=True)
class CameraNoise:
    """What the cameras add to every path.

    Attributes
    ----------
    sd_m : float
        Standard deviation along each axis, metres; 0 adds nothing.
    rng : np.random.Generator
        Random numbers for it.
    drawn_first : int
        How many markers draw theirs first; the others draw from a stream of their own, so that nothing else changes.
    """

    sd_m: float
    rng: np.random.Generator
    drawn_first: int

    def of(self, n: int, count: int) -> FloatArray:
        """Return the noise of a recording.

        Parameters
        ----------
        n : int
            Number of frames of the recording.
        count : int
            Number of markers, at least those drawn first.

        Returns
        -------
        FloatArray
            (n, count, 3), metres.
        """
        noise = self.rng.normal(0.0, self.sd_m, (n, self.drawn_first, 3))
        others = np.random.default_rng([count, n]).normal(0.0, self.sd_m, (n, count - self.drawn_first, 3))
        return np.concatenate([noise, others], axis=1)


def as_recorded(
    paths: Mapping[str, Array], rate_hz: float, first_frame: int, *, noise: CameraNoise, gaps: Sequence[Loss]
) -> Markers:
    """What the cameras see: noise added, gaps missing.

    Parameters
    ----------
    paths : Mapping[str, Array]
        Marker -> path (n, 3), laboratory axes, metres.
    rate_hz : float
        Frames per second of the cameras.
    first_frame : int
        The recording's number of the first frame.
    noise : CameraNoise
        What is added to the paths.
    gaps : Sequence[Loss]
        Markers and stretches that are lost.

    Returns
    -------
    Markers
        NaN in gaps.

    Raises
    ------
    OptionError
        A gap names a marker that is not there.
    """
    names = tuple(paths)
    position: FloatArray = np.stack([paths[name] for name in names], axis=1).astype(np.float64)
    if noise.sd_m:
        position = position + noise.of(*position.shape[:2])
    for name, first, last in gaps:
        if name not in names:
            raise OptionError(f"A gap is wanted in {name}, which is no marker of the virtual subject.",
                              value=name, expected=f"one of {', '.join(names)}", where="gaps")  # fmt: skip
        position[max(first - first_frame, 0) : last - first_frame + 1, names.index(name)] = np.nan
    return Markers(names, position, rate_hz)


def _carried(R: Array, origin: Array, place: Array) -> Array:
    carried: Array = origin + (R * place[..., None, :]).sum(axis=-1)
    return carried
