"""What is known of a person before any marker is looked at: how sizes go together, where markers lie, what skin does.

Factors s of K bodies along their axes have logarithms z ~ N(0, C), C made of the independent parts of
`biomech_id.anthropometry.size_spread`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.anthropometry.size_spread import size_spreads
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.kinematics.inverse_kinematics import MISFIT_MM, tissue_sizes_m
from biomech_id.values import dataclass

#: Words in names of bodies -> kind of segment; whatever has none of them belongs to the trunk.
SEGMENT_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("pelvis", ("pelvis",)), ("thigh", ("femur", "thigh", "patella")), ("shank", ("tibia", "shank", "fibula")),
    ("foot", ("talus", "calcn", "foot", "toes")), ("upper_arm", ("humerus", "upperarm")),
    ("forearm", ("ulna", "radius", "forearm")), ("hand", ("hand",)),
)  # fmt: skip
#: Words in names of markers that are put on bone that can be felt.
BONY_WORDS = (
    "asis", "psis", "sacr", "c7", "clav", "stern", "acrom", "shoulder", "epic", "knee", "mall", "ankle", "heel", "calc", "toe",
    "mt", "elbow", "wrist",
)  # fmt: skip
#: Words in names of points that a laboratory's software computes from markers: joint centres, and their projections on the floor.
COMPUTED_WORDS = ("hjc", "kjc", "ajc", "sjc", "ejc", "wjc", "joint", "ground")
#: Misplacement along each axis, m: of a marker on a bony landmark (a trained examiner's 7 to 10 mm), and of any other.
BONY_SD_M, FREE_SD_M = 0.010, 0.040
#: Share of the skin's movement, as a standard deviation, that goes with the joint angles.
SHAPE_SHARE = 0.7


def segment_kind(body: str) -> tuple[str, str]:
    """Which kind of segment a body belongs to, and on which side.

    Parameters
    ----------
    body : str
        Name of a body, with the suffix ``_r`` or ``_l`` where it has a side.

    Returns
    -------
    tuple[str, str]
        Kind, "trunk" where no word fits, and "r", "l" or "".

    Examples
    --------
    >>> from biomech_id.osim.fit.prior import segment_kind
    >>> segment_kind("patella_r"), segment_kind("torso")
    (('thigh', 'r'), ('trunk', ''))
    """
    name = body.lower()
    kind = next((kind for kind, words in SEGMENT_WORDS if any(word in name for word in words)), "trunk")
    return kind, name[-1] if name[-2:] in ("_r", "_l") else ""


def size_covariance(bodies: Sequence[str], *, whole: bool = True) -> FloatArray:
    """How the logarithms of scale factors go together in people.

    Parameters
    ----------
    bodies : Sequence[str]
        Names of the K bodies.
    whole : bool, optional
        Whether the size of the whole body is uncertain too.

    Returns
    -------
    FloatArray
        (3K, 3K), without unit; the axes of a body follow one another.
    """
    spread = {(row.segment, row.part): row for row in size_spreads()}

    def rows_of(part: str, kind: str) -> tuple[float, str]:
        row = spread.get((kind, part)) or spread["", part]
        return row.sd_log, row.length_axis

    size = 3 * len(bodies)
    out = np.full((size, size), rows_of("whole", "")[0] ** 2 if whole else 0.0)
    labels: list[dict[str, tuple[object, ...]]] = []
    scale: list[dict[str, float]] = []
    for body in bodies:
        kind, side = segment_kind(body)
        across, length_axis = rows_of("across", kind)
        for axis in "XYZ":
            labels.append({"length": (kind,), "across": (kind, axis), "side": (kind, side, axis), "body": (body, axis)})
            scale.append({
                "length": rows_of("length", kind)[0],
                "across": across if axis != length_axis else 0.0,
                "side": rows_of("side", kind)[0] if side else 0.0,
                "body": rows_of("body", kind)[0],
            })  # fmt: skip
    for part in ("length", "across", "side", "body"):
        group = {label: k for k, label in enumerate(dict.fromkeys(row[part] for row in labels))}
        member = np.zeros((size, len(group)))
        for k, (label, sd) in enumerate(zip(labels, scale, strict=True)):
            member[k, group[label[part]]] = sd[part]
        out += member @ member.T
    return out


@dataclass(frozen=True, eq=False)
class MarkerPrior:
    """What is known of M markers beforehand.

    Attributes
    ----------
    bony : BoolArray
        (M,), whether each is on a bony landmark.
    place_sd_m : FloatArray
        (M,), standard deviation of its place along each axis, m.
    sigma_m : FloatArray
        (M,), how far skin and the model's misfit move it over a walk along each axis, m.
    """

    bony: BoolArray
    place_sd_m: FloatArray
    sigma_m: FloatArray


def marker_prior(model: MusculoskeletalModel) -> MarkerPrior:
    """Tell landmarks from other markers, and say how much each is moved by skin.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model with its M markers. Where some of them are ``fixed`` and some are not, the fixed ones are on landmarks;
        otherwise their names decide.

    Returns
    -------
    MarkerPrior
        In the order of the model's markers.
    """
    fixed = np.array([marker.fixed for marker in model.markers])
    named = np.array([any(word in marker.name.lower() for word in BONY_WORDS) for marker in model.markers])
    bony = fixed if fixed.any() and not fixed.all() else named
    tissue = tissue_sizes_m(model)
    sigma = np.hypot([tissue[marker.name] for marker in model.markers], MISFIT_MM / 1e3)
    return MarkerPrior(bony, np.where(bony, BONY_SD_M, FREE_SD_M), sigma)
