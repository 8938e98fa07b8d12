"""Where markers are in a static trial: what labels may not contradict, and what places alone can show.

Lengths are shares of the height of the anterior spines above the lowest marker, by which children and adults look alike: forward,
and outward from the middle of the lateral malleoli, and up. The table holds means and spreads over the static trials of fourteen
laboratories' sets and twenty persons, and is asked only for what it can decide: everything needed has to be found, each
point much nearer to its place than any other marker, and one reading of the whole has to be much better than the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import FloatArray, all_finite
from biomech_id.conventions import SIDES
from biomech_id.markersets.marker_set import MarkerKey
from biomech_id.values import dataclass

#: Point -> mean forward, outward, up and their spreads, all as shares of the spines' height.
POINT_PLACES: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "asis": ((0.160, 0.128, 1.000), (0.030, 0.030, 0.012)),
    "psis": ((-0.032, 0.057, 1.025), (0.028, 0.022, 0.024)),
    "sacrum": ((-0.030, 0.000, 1.055), (0.030, 0.018, 0.030)),
    "lateral_epicondyle": ((0.053, 0.180, 0.500), (0.035, 0.028, 0.024)),
    "medial_epicondyle": ((0.056, 0.060, 0.482), (0.033, 0.022, 0.022)),
    "lateral_malleolus": ((0.000, 0.180, 0.062), (0.022, 0.035, 0.018)),
    "medial_malleolus": ((0.032, 0.106, 0.070), (0.022, 0.026, 0.020)),
    "heel": ((-0.062, 0.130, 0.014), (0.025, 0.038, 0.014)),
    "toe": ((0.160, 0.165, 0.025), (0.028, 0.042, 0.016)),
}  # fmt: skip
_WANDS = {"thigh_wand": ("lateral_epicondyle", 0.56, 0.80), "shank_wand": ("lateral_malleolus", 0.12, 0.42)}
#: A marker farther than this from a point's mean, in spreads squared, is not on it; what a point costs that has no marker.
FARTHEST, ABSENT = 12.0, 14.0
#: How much wider spreads are before it is known how far the body leans.
LEANING = 2.0
#: How much worse, in spreads squared, any other marker must fit a point, and any other reading the whole.
APART, READING_APART = 3.0, 12.0
#: Points that have to be known on both sides, the anterior spines among them, before others are looked for beside them.
LEAST_ANCHORS = 3
#: Points needed on each side; one of all of them may be missing.
NEEDED = ("asis", "lateral_epicondyle", "lateral_malleolus", "heel", "toe")
#: Of the body up to this height, and as far out, every marker must be one of these points: hands hang farther out.
HIGHEST, HANDS_ABOVE, OUTERMOST = 1.11, 0.7, (0.35, 0.24)
#: Height (m) that the spines of a walking person can have, and how level they are at most (share of their distance).
SPINES_M, LEVEL_SHARE = (0.35, 1.30), 0.15


class Placed(NamedTuple):
    """What places alone show: (side, role) -> label, and how certain it is, 0 to 1."""

    roles: dict[MarkerKey, str]
    certainty: float


@dataclass(frozen=True, eq=False)
class StandingMarkers:
    """Mean places of the markers of a standing subject.

    Attributes
    ----------
    place_m : dict[str, FloatArray]
        Label -> (3,), metres, laboratory axes with Z up.
    """

    place_m: dict[str, FloatArray]

    def contradiction(self, roles: Mapping[MarkerKey, str]) -> str:
        """Check whether markers can lie on these points.

        Parameters
        ----------
        roles : Mapping[MarkerKey, str]
            (side, role) -> label of the marker.

        Returns
        -------
        str
            What speaks against it, in words; "" where nothing does.
        """
        at = {key: self.place_m[label] for key, label in roles.items() if label in self.place_m}
        forward = _forward(at)
        if forward is None:
            return "nothing shows where the subject looks"
        left = np.array([-forward[1], forward[0], 0.0])
        for (side, role), place in at.items():
            other = at.get(("R", role))
            if side == "L" and other is not None and (place - other) @ left < 0.02:
                return f"the left {role} is not left of the right one"
        for side in SIDES:
            leg = {role: place for (where, role), place in at.items() if where in (side, "")}
            if wrong := _leg_contradiction(leg, side, left, forward):
                return wrong
        return ""


#: One point over another by at least this (m), in the order of the body.
_ABOVE = (
    ("asis", "lateral_epicondyle", 0.12), ("psis", "lateral_epicondyle", 0.12), ("sacrum", "lateral_epicondyle", 0.12),
    ("lateral_epicondyle", "lateral_malleolus", 0.12), ("medial_epicondyle", "medial_malleolus", 0.12),
    ("lateral_epicondyle", "heel", 0.15), ("lateral_malleolus", "toe", -0.03), ("asis", "thigh_wand", 0.02),
    ("thigh_wand", "lateral_malleolus", 0.15), ("lateral_epicondyle", "shank_wand", -0.02), ("shank_wand", "heel", 0.03),
)  # fmt: skip
#: One point before another by at least this (m).
_BEFORE = (("asis", "psis", 0.03), ("asis", "sacrum", 0.03), ("toe", "heel", 0.05), ("metatarsal_2", "heel", 0.05),
           ("metatarsal_1", "heel", 0.05), ("metatarsal_5", "heel", 0.04), ("lateral_malleolus", "heel", 0.0))  # fmt: skip
#: One point outside another of the same joint.
_OUTSIDE = (("lateral_epicondyle", "medial_epicondyle", 0.02), ("lateral_malleolus", "medial_malleolus", 0.01),
            ("metatarsal_5", "metatarsal_1", 0.01))  # fmt: skip


def _leg_contradiction(at: Mapping[str, FloatArray], side: str, left: FloatArray, forward: FloatArray) -> str:
    outward = left if side == "L" else -left
    for rules, axis, words in (
        (_ABOVE, np.array([0.0, 0.0, 1.0]), "above"),
        (_BEFORE, forward, "before"),
        (_OUTSIDE, outward, "outside"),
    ):
        for one, other, least_m in rules:
            if one in at and other in at and (at[one] - at[other]) @ axis < least_m:
                return f"the {one} is not {words} the {other}"
    return ""


def _forward(at: Mapping[MarkerKey, FloatArray]) -> FloatArray | None:
    """Horizontal direction in which the subject looks: across the spines, else from heels to toes."""
    forward = np.zeros(3)
    feet = [at[side, "toe"] - at[side, "heel"] for side in SIDES if {(side, "toe"), (side, "heel")} <= at.keys()]
    across = [
        role for role in ("asis", "psis", "lateral_epicondyle", "lateral_malleolus") if ("L", role) in at and ("R", role) in at
    ]
    if across:
        left = at["L", across[0]] - at["R", across[0]]
        forward[:2] = left[1], -left[0]
    elif feet:
        forward[:2] = np.mean(feet, axis=0)[:2]
    length = float(np.linalg.norm(forward))
    return forward / length if length > 1e-3 else None


def mean_places_m(names: Sequence[str], position_m: FloatArray) -> dict[str, FloatArray]:
    """Mean place of each marker, seen from the middle of those that are seen most.

    Parameters
    ----------
    names : Sequence[str]
        Labels of those to be looked at, some of the recording's.
    position_m : FloatArray
        (n, k, 3), metres, laboratory axes; the recording's markers in its order.

    Returns
    -------
    dict[str, FloatArray]
        Label -> (3,), metres, laboratory axes; horizontally from that middle. Empty where those are never seen together.
    """
    seen = all_finite(position_m)
    often = seen.sum(axis=0) >= 0.9 * seen.sum(axis=0).max(initial=1)
    frames = seen[:, often].all(axis=1)
    if not frames.any():
        return {}
    centre = position_m[frames][:, often].mean(axis=1, keepdims=True) * [1.0, 1.0, 0.0]
    local, there = position_m[frames] - centre, seen[frames]
    shown = np.flatnonzero(seen.any(axis=0))
    return {name: local[there[:, i], i].mean(axis=0) for name, i in zip(names, shown, strict=True) if there[:, i].any()}


class _Reading(NamedTuple):
    cost: float
    roles: dict[MarkerKey, str]
    clear: float


def roles_by_place(standing: StandingMarkers) -> Placed | None:
    """Find what markers lie on by their places alone.

    Parameters
    ----------
    standing : StandingMarkers
        Mean places in a static trial.

    Returns
    -------
    Placed | None
        None where that is not certain.
    """
    names = sorted(standing.place_m)
    if not 12 <= len(names) <= 160:
        return None
    points = np.stack([standing.place_m[name] for name in names])
    points = points - [0.0, 0.0, points[:, 2].min()]
    tried = (_best_reading(points, names, *pair) for pair in _level_pairs(points))
    readings = sorted((reading for reading in tried if reading), key=lambda reading: reading.cost)
    if not readings:
        return None
    best = readings[0]
    rival = min((reading.cost for reading in readings if not best.roles.items() <= reading.roles.items()), default=np.inf)
    lost = [(side, role) for side in SIDES for role in NEEDED if (side, role) not in best.roles]
    behind = ("", "sacrum") in best.roles or all((side, "psis") in best.roles for side in SIDES)
    margin = rival - best.cost
    if len(lost) + (not behind) > 1 or margin < READING_APART or best.clear < APART:
        return None
    at = {key: points[names.index(label)] for key, label in best.roles.items()}
    scale = float(np.mean([place for (_, role), place in at.items() if role == "asis"], axis=0)[2])
    free = {name: place for name, place in zip(names, points, strict=True) if name not in best.roles.values()}
    wands = _wands(free, at, scale)
    if _unexplained([place for name, place in free.items() if name not in wands.values()], at, scale):
        return None
    roles = best.roles | wands
    if all((side, "psis") in roles for side in SIDES):
        roles.pop(("", "sacrum"), None)
    if standing.contradiction(roles):
        return None
    certainty = float(1.0 - np.exp(-0.5 * min(best.clear, margin)))
    return Placed(roles, certainty * (1.0 - 0.1 * len(lost)))


def paired_roles_by_place(
    standing: StandingMarkers, known: Mapping[MarkerKey, str], pairs: Sequence[Mapping[str, str]]
) -> dict[MarkerKey, str]:
    """Find what further pairs of markers lie on, by where they are beside those that are known.

    A pair takes a free point if both of its markers are near to it, no other pair is nearly as near, and no other point that is
    free is nearer to the pair.

    Parameters
    ----------
    standing : StandingMarkers
        Mean places in a static trial.
    known : Mapping[MarkerKey, str]
        (side, role) -> label of the markers that are known.
    pairs : Sequence[Mapping[str, str]]
        Side -> label of a left and a right marker.

    Returns
    -------
    dict[MarkerKey, str]
        (side, role) -> label of the pairs that were placed; empty where too few points are known.
    """
    place = {key: standing.place_m[label] for key, label in known.items() if label in standing.place_m}
    spines = [place.get((side, "asis")) for side in SIDES]
    anchors = [role for role in POINT_PLACES if role != "sacrum" and all((side, role) in place for side in SIDES)]
    seen = [pair for pair in pairs if all(label in standing.place_m for label in pair.values())]
    free = [role for role in NEEDED if not any((side, role) in known for side in SIDES)]
    if spines[0] is None or spines[1] is None or len(anchors) < LEAST_ANCHORS or not (seen and free):
        return {}
    lowest = min(float(each[2]) for each in standing.place_m.values())
    scale = float(0.5 * (spines[0] + spines[1])[2]) - lowest
    outward = (spines[0] - spines[1]) * [1.0, 1.0, 0.0]
    outward = outward / np.linalg.norm(outward)
    axes = np.stack([[outward[1], -outward[0], 0.0], outward, [0.0, 0.0, 1.0]])

    def inner(of: Mapping[str, FloatArray]) -> FloatArray:
        """Both markers forward, outward and up, as shares of the spines' height: (2, 3)."""
        return np.stack([axes @ (of[side] - [0.0, 0.0, lowest]) for side in SIDES]) / scale

    sides = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 1.0]])
    off = np.mean([inner({s: place[s, role] for s in SIDES}) - sides * POINT_PLACES[role][0] for role in anchors], axis=(0, 1))
    off[2] = 0.0
    local = np.stack([(inner({s: standing.place_m[pair[s]] for s in SIDES}) - off) * sides for pair in seen])
    table = np.array([POINT_PLACES[role] for role in free])[:, :, None, None]
    means, spreads = table[:, 0], table[:, 1]
    cost = ((local - means) ** 2 / np.square(spreads)).sum(axis=3).max(axis=2)
    roles: dict[MarkerKey, str] = {}
    for row, role in enumerate(free):
        at = int(np.argmin(cost[row]))
        least, second = cost[row, at], np.delete(cost[row], at).min(initial=np.inf)
        if least < FARTHEST and second - least > APART and least == cost[:, at].min():
            roles |= {(side, role): seen[at][side] for side in SIDES}
    return roles


def _unexplained(free_m: list[FloatArray], at: Mapping[MarkerKey, FloatArray], scale: float) -> bool:
    """Whether the legs or the pelvis wear a marker more than these: another set's, a device's, by which one could be mistaken."""
    one, other = (place for (_, role), place in at.items() if role == "lateral_malleolus")
    across = (one - other) * [1.0, 1.0, 0.0] / np.linalg.norm((one - other)[:2])
    points = np.array(free_m).reshape(-1, 3)
    outermost = np.where(points[:, 2] < HANDS_ABOVE * scale, *OUTERMOST) * scale
    aside = np.abs((points - np.mean([one, other], axis=0)) @ across)
    return bool(((points[:, 2] < HIGHEST * scale) & (aside < outermost)).any())


def _level_pairs(points: FloatArray) -> list[tuple[int, int]]:
    """Markers that may be the left and the right anterior spine."""
    pairs = []
    for left, right in permutations(range(len(points)), 2):
        across = points[left] - points[right]
        wide, height = float(np.linalg.norm(across[:2])), float(points[[left, right], 2].mean())
        if SPINES_M[0] < height < SPINES_M[1] and 0.13 * height < wide < 0.42 * height and abs(across[2]) < LEVEL_SHARE * wide:
            pairs.append((left, right))
    return pairs


def _best_reading(points: FloatArray, names: list[str], left: int, right: int) -> _Reading | None:
    """The points that fit best where these two are the anterior spines; None where too few do."""
    scale = float(points[[left, right], 2].mean())
    outward = points[left] - points[right]
    outward = np.array([*outward[:2], 0.0]) / np.linalg.norm(outward[:2])
    forward = np.array([outward[1], -outward[0], 0.0])
    middle = 0.5 * (points[left] + points[right])
    local = np.stack([(points - middle) @ forward, (points - middle) @ outward, points[:, 2]], axis=1) / scale
    local[:, 0] += POINT_PLACES["asis"][0][0]
    if not _feet_below(local):
        return None
    best = None
    for widened in (LEANING, 1.0, 1.0):
        best = _assigned(local, names, widened)
        # The malleoli show how far the body leans, and where its middle is.
        ankles = [names.index(label) for (_, role), label in best.roles.items() if role == "lateral_malleolus"]
        if len(ankles) < 2:
            return None
        local[:, :2] -= local[ankles, :2].mean(axis=0)
    return best


def _feet_below(local: FloatArray) -> bool:
    """Whether there is something like a foot under each side: quick, to leave most pairs at once."""
    sideways = local[local[:, 2] < 0.12, 1]
    return bool((sideways > 0.03).sum() >= 2 and (sideways < -0.03).sum() >= 2)


def _assigned(local: FloatArray, names: list[str], widened: float) -> _Reading:
    from scipy.optimize import linear_sum_assignment

    keys, cost = [], []
    for role, (mean, spread) in POINT_PLACES.items():
        for side in ("",) if role == "sacrum" else SIDES:
            sign = np.array([1.0, -1.0 if side == "R" else 1.0, 1.0])
            keys.append((side, role))
            cost.append((((local * sign - mean) / np.multiply(widened, spread)) ** 2).sum(axis=1))
    table = np.array(cost)
    padded = np.concatenate([np.where(table < FARTHEST, table, 1e3), np.full((len(keys), len(keys)), ABSENT)], axis=1)
    rows, columns = linear_sum_assignment(padded)
    roles: dict[MarkerKey, str] = {}
    total, clear = 0.0, np.inf
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        total += float(padded[row, column])
        if column < len(names):
            roles[keys[row]] = names[column]
    for joint in ("epicondyle", "malleolus"):
        lateral, medial = ([(side, f"{which}_{joint}") for side in SIDES] for which in ("lateral", "medial"))
        if not any(key in roles for key in lateral) and all(key in roles for key in medial):
            # No marker set has markers on the inside of both legs alone.
            roles |= {outer: roles.pop(inner) for outer, inner in zip(lateral, medial, strict=True)}
    for side in SIDES:
        _put_in_order(roles, side, dict(zip(names, local, strict=True)))
    for row, key in enumerate(keys):
        if key in roles and key[1] in (*NEEDED, "psis"):
            own = names.index(roles[key])
            # Of one joint's two markers and of a forefoot's three the order shows which is which.
            alike = {names.index(roles[other]) for other in _ordered_with(key) if other in roles}
            others = np.delete(table[row], sorted({own, *alike}))
            clear = min(clear, float(others.min(initial=np.inf) - table[row, own]))
    return _Reading(total, roles, clear)


def _ordered_with(key: MarkerKey) -> list[MarkerKey]:
    side, role = key
    joint = role.partition("_")[2]
    return [(side, f"medial_{joint}")] if joint else [(side, "metatarsal_1"), (side, "metatarsal_5")]


def _put_in_order(roles: dict[MarkerKey, str], side: str, local: Mapping[str, FloatArray]) -> None:
    """Put the two markers of a joint, and three of a forefoot, in the order from the middle outwards."""
    outward = 1.0 if side == "L" else -1.0
    for joint in ("epicondyle", "malleolus"):
        lateral, medial = (side, f"lateral_{joint}"), (side, f"medial_{joint}")
        if lateral in roles and medial in roles and outward * (local[roles[lateral]] - local[roles[medial]])[1] < 0:
            roles[lateral], roles[medial] = roles[medial], roles[lateral]
    if (side, "toe") not in roles or (side, "heel") not in roles:
        return
    heel, toe = local[roles[side, "heel"]], local[roles[side, "toe"]]
    along = (toe - heel)[:2] / np.linalg.norm((toe - heel)[:2])
    across = np.array([-along[1], along[0]])
    reach = float((toe - heel)[:2] @ along)
    front: dict[str, float] = {}
    for name, place in local.items():
        ahead, aside = (float((place - heel)[:2] @ axis) for axis in (along, across))
        if place[2] < 0.075 and 0.7 * reach < ahead < 1.35 * reach and abs(aside) < 0.09:
            front[name] = outward * aside
    if len(front) == 3:
        order = sorted(front, key=front.__getitem__)
        roles |= {(side, role): name for role, name in zip(("metatarsal_1", "toe", "metatarsal_5"), order, strict=True)}


def _wands(free: Mapping[str, FloatArray], at: Mapping[MarkerKey, FloatArray], scale: float) -> dict[MarkerKey, str]:
    """The only other marker on the outside of a thigh or a shank; several are a cluster, and none of them a wand."""
    wands: dict[MarkerKey, str] = {}
    for role, (near, low, high) in _WANDS.items():
        for side in SIDES:
            if (side, near) not in at:
                continue
            level = {name: place for name, place in free.items() if low < place[2] / scale < high}
            close = [name for name, place in level.items() if np.linalg.norm((place - at[side, near])[:2]) < 0.2 * scale]
            if len(close) == 1:
                wands[side, role] = close[0]
    return wands
