"""Markers of a standing subject that no marker set names, beside those that one does: by where they are, never by their labels.

A knee device shows itself by three equal distances; medial knee and ankle markers and the tubercle lie where lateral markers and
the anterior spines let them. Everything takes one assignment, and how much worse the second best one is says how certain a name is.
Limits were set on 25 static trials of 16 laboratories. Lengths are metres, laboratory axes with Z up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import chain, combinations
from types import MappingProxyType

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.markersets.marker_set import ROLES, MarkerKey, MarkerSet
from biomech_id.markersets.recognise import relabelled
from biomech_id.values import dataclass, replace

#: Sides of a device's triangle (m), and their spread over their mean: below it the tips were computed.
DEVICE_SIDE_M, DEVICE_SPREAD = (0.060, 0.200), (0.001, 0.03)
#: Height of a device's tips over that of the spines; the lowest one of a child of 0.9 m hangs at 0.30.
DEVICE_HEIGHT = (0.25, 0.68)
#: A device's corner stands on the lateral knee marker where one is worn beside it, to within this (m).
DEVICE_BESIDE_M = 0.060
#: A frame that a program wrote: its points are at one distance from its origin (share), at right angles (degrees).
COMPUTED_SHARE, COMPUTED_DEG = 0.001, 0.2
#: How far a medial marker may be from the lateral one beyond a measured width and a marker's diameter (m).
WIDTH_OFF_M = 0.020
#: Medial knee and ankle where no width is known: distance over that from spine to knee, and over that from knee to ankle.
KNEE_SHARE, ANKLE_SHARE = (0.17, 0.35), (0.16, 0.28)
#: Least share of the distance that points inwards, and how far (m) above or below the lateral marker a medial one may be.
KNEE_INWARD, ANKLE_INWARD = 0.80, 0.70
KNEE_LEVEL_M, ANKLE_LEVEL_M = 0.035, 0.030
#: How far ahead of the lateral marker a medial knee may be, over the distance from spine to knee: 20 true ones have 0.075 at most,
#: two patellae 0.165.
KNEE_AHEAD = 0.12
#: Tubercle, in lengths of the shank: below the lateral knee marker, within this of it, inward and ahead of it by more than these.
TUBERCLE_BELOW, TUBERCLE_WITHIN, TUBERCLE_INWARD, TUBERCLE_AHEAD = (0.13, 0.30), 0.36, 0.05, 0.02
#: Below this certainty a name is a question.
CERTAIN = 1.0
#: Over a walk the distance to the lateral marker of the same joint varies by this at most (m), and where it is real by more.
WALK_SD_M, COMPUTED_SD_M = 0.006, 0.00005
#: Points of the forefoot: below this height (m), and so far before the lateral ankle marker (lengths of the shank).
FOREFOOT_HEIGHT_M, FOREFOOT_AHEAD = 0.06, 0.13
#: Standing, a point that a program wrote beside a marker keeps its distance to within rounding (m, SD; seen 1e-9 to 1e-8); of two
#: markers it varies by 1.5e-7 at least (53 smoothed frames; 3e-6 else), or by nothing where a file holds whole numbers.
ROUNDING_M = (1e-10, 5e-8)
_ABSENT = 1e6
#: Role -> lateral marker whose distance to it a walk shows.
BESIDE: Mapping[str, str] = {
    "medial_epicondyle": "lateral_epicondyle", "tibial_tubercle": "lateral_epicondyle", "medial_malleolus": "lateral_malleolus",
}  # fmt: skip


@dataclass(frozen=True)
class Leftover:
    """A marker that no set names, and what it lies on.

    Attributes
    ----------
    label : str
        Its label in the recording.
    certainty : float
        How much worse the best reading without this name is, in squared spreads; infinite without a rival.
    """

    label: str
    certainty: float

    @property
    def certain(self) -> bool:
        """Whether it need not be asked."""
        return self.certainty >= CERTAIN


@dataclass(frozen=True)
class Leftovers:
    """What unnamed markers lie on.

    Attributes
    ----------
    roles : Mapping[MarkerKey, Leftover]
        (side, role) -> marker; the tubercle's role is "tibial_tubercle".
    devices : Mapping[str, tuple[str, ...]]
        Side -> the three tips of a knee device.
    computed : frozenset[str]
        Points that a program wrote.
    """

    roles: Mapping[MarkerKey, Leftover]
    devices: Mapping[str, tuple[str, ...]]
    computed: frozenset[str]

    @property
    def usable(self) -> bool:
        """Whether both medial knees are among them: what an analysis needs before it takes any."""
        return all((side, "medial_epicondyle") in self.roles for side in SIDES)


def name_leftovers(
    roles: Mapping[MarkerKey, str], place_m: Mapping[str, FloatArray], joint_widths_m: Mapping[MarkerKey, float] | None = None
) -> Leftovers:
    """Find what the markers lie on that a marker set leaves over in a static trial.

    Parameters
    ----------
    roles : Mapping[MarkerKey, str]
        (side, role) -> label of the markers that are named: spines, lateral knee and ankle markers.
    place_m : Mapping[str, FloatArray]
        Label -> (3,), mean place in the stillest window, metres, laboratory axes.
    joint_widths_m : Mapping[MarkerKey, float] | None, optional
        (side, "knee" | "ankle") -> measured width and a marker's diameter, m, where they are known.

    Returns
    -------
    Leftovers
        Empty where spines or ankles are not named.
    """
    at = {key: np.asarray(place_m[label]) for key, label in roles.items() if label in place_m}
    needed = [(side, role) for side in SIDES for role in ("asis", "lateral_malleolus")]
    if not all(key in at for key in needed):
        return Leftovers({}, {}, frozenset())
    named = set(roles.values())
    free = {label: np.asarray(place) for label, place in place_m.items() if label not in named}
    computed = _computed_frames(free)
    free = {label: place for label, place in free.items() if label not in computed}
    body = _Body(at, min(float(place[2]) for place in place_m.values()))
    devices = {side: tips for side in SIDES if (tips := body.device(side, free))}
    for tip in chain(*devices.values()):
        del free[tip]
    leftovers: dict[MarkerKey, Leftover] = {}
    for side in SIDES:
        if (side, "lateral_epicondyle") not in at:
            if side not in devices:
                continue
            at[side, "lateral_epicondyle"] = body.virtual_knee(side, [np.asarray(place_m[label]) for label in devices[side]])
        leftovers |= _assigned(side, body.costs(side, free, joint_widths_m or {}), list(free), roles)
    forefoot = ("toe", "metatarsal_2", "metatarsal_1", "metatarsal_5")
    knees = all((side, "lateral_epicondyle") in at for side in SIDES)
    if knees and not any((side, role) in roles for side in SIDES for role in forefoot):
        taken = {each.label for each in leftovers.values()}
        leftovers |= body.forefeet({label: place for label, place in free.items() if label not in taken})
    return Leftovers(leftovers, devices, frozenset(computed))


def written_beside(roles: Mapping[MarkerKey, str], path_m: Mapping[str, FloatArray]) -> frozenset[str]:
    """Return the points of a static trial that a program wrote beside a named marker: no two markers keep their distance like that.

    Parameters
    ----------
    roles : Mapping[MarkerKey, str]
        (side, role) -> label of the markers that are named.
    path_m : Mapping[str, FloatArray]
        Label -> (n, 3), m, laboratory axes, in the static trial.

    Returns
    -------
    frozenset[str]
        Labels; none where the spines themselves keep their distance so well, as in a computed recording.
    """
    named = set(roles.values())

    def is_rigid(one: str, other: str) -> bool:
        return ROUNDING_M[0] < float(np.nanstd(np.linalg.norm(path_m[one] - path_m[other], axis=1))) < ROUNDING_M[1]

    spines = [roles[side, "asis"] for side in SIDES if (side, "asis") in roles]
    if any(is_rigid(*pair) for pair in combinations(spines, 2)):
        return frozenset()
    return frozenset(label for label in path_m.keys() - named if any(is_rigid(label, other) for other in named))


def in_walk(leftovers: Leftovers, roles: Mapping[MarkerKey, str], path_m: Callable[[str], FloatArray | None]) -> Leftovers:
    """Drop what a walk contradicts: a marker that does not keep its distance to the lateral one, or keeps it like no skin does.

    Parameters
    ----------
    leftovers : Leftovers
        Of the static trial.
    roles : Mapping[MarkerKey, str]
        (side, role) -> label of the markers that are named.
    path_m : Callable[[str], FloatArray | None]
        Label -> (n, 3), m, in a walk; None where it does not show the marker, which then says nothing.
    """
    kept = {}
    for (side, role), each in leftovers.roles.items():
        lateral, own = path_m(roles.get((side, BESIDE.get(role, "")), "")), path_m(each.label)
        if lateral is not None and own is not None:
            varies_m = float(np.nanstd(np.linalg.norm(own - lateral, axis=1)))
            if not COMPUTED_SD_M <= varies_m <= WALK_SD_M:
                continue
        kept[side, role] = each
    return Leftovers(kept, leftovers.devices, leftovers.computed)


def _assigned(
    side: str, costs: Mapping[str, FloatArray], labels: list[str], named: Mapping[MarkerKey, str]
) -> dict[MarkerKey, Leftover]:
    """The cheapest reading of a side, each name with how much worse the best one without it is."""
    from scipy.optimize import linear_sum_assignment

    wanted = [role for role in costs if (side, role) not in named and np.isfinite(costs[role]).any()]
    if not wanted:
        return {}
    table = np.stack([np.where(np.isfinite(costs[role]), costs[role], 2 * _ABSENT) for role in wanted])
    table = np.concatenate([table, np.full((len(wanted), len(wanted)), _ABSENT)], axis=1)

    def best(of: FloatArray) -> tuple[list[tuple[int, int]], float]:
        rows, columns = linear_sum_assignment(of)
        return list(zip(rows.tolist(), columns.tolist(), strict=True)), float(of[rows, columns].sum())

    chosen, total = best(table)
    assigned = {}
    for row, column in chosen:
        if column >= len(labels):
            continue
        without = table.copy()
        without[row, column] = 2 * _ABSENT
        worse = best(without)[1] - total
        assigned[side, wanted[row]] = Leftover(labels[column], float("inf") if worse > 0.5 * _ABSENT else worse)
    return assigned


class _Body:
    """Directions and lengths of who stands there."""

    def __init__(self, at: dict[MarkerKey, FloatArray], floor_m: float) -> None:
        self.at, self.floor_m = at, floor_m
        left = (at["L", "asis"] - at["R", "asis"]) * [1.0, 1.0, 0.0]
        left = left / np.linalg.norm(left)
        self.outward = {"L": left, "R": -left}
        self.forward = np.array([left[1], -left[0], 0.0])
        self.height_m = float(0.5 * (at["L", "asis"] + at["R", "asis"])[2]) - floor_m
        self.middle = 0.5 * (at["L", "lateral_malleolus"] + at["R", "lateral_malleolus"])

    def device(self, side: str, free: Mapping[str, FloatArray]) -> tuple[str, ...]:
        """Three unnamed markers of a side at one distance from each other, which is that of a device and not of a program."""
        near = {
            label: place
            for label, place in free.items()
            if DEVICE_HEIGHT[0] < (place[2] - self.floor_m) / self.height_m < DEVICE_HEIGHT[1]
            and (place - self.middle) @ self.outward[side] > 0.0
        }
        knee = self.at.get((side, "lateral_epicondyle"))
        devices: list[tuple[float, tuple[str, ...]]] = []
        for triple in combinations(sorted(near), 3):
            sides_m = np.array([np.linalg.norm(near[a] - near[b]) for a, b in combinations(triple, 2)])
            spread = float(sides_m.std() / sides_m.mean())
            alike = DEVICE_SPREAD[0] < spread < DEVICE_SPREAD[1]
            if alike and DEVICE_SIDE_M[0] < sides_m.min() and sides_m.max() < DEVICE_SIDE_M[1]:
                corner = self.virtual_knee(side, [near[label] for label in triple])
                if knee is None or np.linalg.norm(corner - knee) < DEVICE_BESIDE_M:
                    devices.append((spread, triple))
        return min(devices, default=(0.0, ()))[1]

    def virtual_knee(self, side: str, tips_m: list[FloatArray]) -> FloatArray:
        """Corner of the cube whose three edges end in the tips, on the side of the leg: (3,), m."""
        one, two, three = tips_m
        normal = np.cross(two - one, three - one)
        edge_m = float(np.mean([np.linalg.norm(a - b) for a, b in combinations(tips_m, 2)]))
        deep = normal / np.linalg.norm(normal) * edge_m / np.sqrt(6.0)
        centre = np.mean(tips_m, axis=0)
        return np.asarray(min((centre + deep, centre - deep), key=lambda corner: float(corner @ self.outward[side])))

    def costs(self, side: str, free: Mapping[str, FloatArray], widths_m: Mapping[MarkerKey, float]) -> dict[str, FloatArray]:
        """Role -> (k,), squared spreads of every free marker from its place; infinite where it cannot be that one."""
        places = np.array(list(free.values())).reshape(-1, 3)
        knee, ankle = self.at[side, "lateral_epicondyle"], self.at[side, "lateral_malleolus"]
        thigh_m, shank_m = (float(np.linalg.norm(knee - end)) for end in (self.at[side, "asis"], ankle))

        def window(joint: str, shares: tuple[float, float], of_m: float) -> tuple[float, float]:
            width = widths_m.get((side, joint))
            return (shares[0] * of_m, shares[1] * of_m) if width is None else (width - WIDTH_OFF_M, width + WIDTH_OFF_M)

        v = places - knee
        medial_knee = self._medial(v, side, window("knee", KNEE_SHARE, thigh_m), KNEE_INWARD, KNEE_LEVEL_M)
        return {
            "medial_epicondyle": np.where(v @ self.forward <= KNEE_AHEAD * thigh_m, medial_knee, np.inf),
            "medial_malleolus": self._medial(
                places - ankle, side, window("ankle", ANKLE_SHARE, shank_m), ANKLE_INWARD, ANKLE_LEVEL_M
            ),
            "tibial_tubercle": self._tubercle(v / shank_m, side),
        }

    def _medial(self, v: FloatArray, side: str, window: tuple[float, float], inward: float, level_m: float) -> FloatArray:
        apart = np.linalg.norm(v, axis=1)
        share = -(v @ self.outward[side]) / np.maximum(apart, 1e-9)
        fits = (apart >= window[0]) & (apart <= window[1]) & (share >= inward) & (np.abs(v[:, 2]) <= level_m)
        quarter, half = (window[1] - window[0]) / 4.0, (1.0 - inward) / 2.0
        cost = ((apart - np.mean(window)) / quarter) ** 2 + (v[:, 2] / (level_m / 2.0)) ** 2 + ((1.0 - share) / half) ** 2
        return np.where(fits, cost, np.inf)

    def _tubercle(self, v: FloatArray, side: str) -> FloatArray:
        below, inward, ahead = -v[:, 2], -(v @ self.outward[side]), v @ self.forward
        fits = (below >= TUBERCLE_BELOW[0]) & (below <= TUBERCLE_BELOW[1]) & (np.linalg.norm(v, axis=1) <= TUBERCLE_WITHIN)
        fits &= (inward > TUBERCLE_INWARD) & (ahead > TUBERCLE_AHEAD)
        cost = ((below - np.mean(TUBERCLE_BELOW)) / 0.0425) ** 2 + ((inward - 0.13) / 0.08) ** 2 + ((ahead - 0.10) / 0.08) ** 2
        return np.where(fits, cost, np.inf)

    def forefeet(self, free: Mapping[str, FloatArray]) -> dict[MarkerKey, Leftover]:
        """Inner and outer metatarsal marker of both feet, where each forefoot wears exactly these two."""
        metatarsals: dict[MarkerKey, Leftover] = {}
        for side in SIDES:
            ankle = self.at[side, "lateral_malleolus"]
            reach_m = FOREFOOT_AHEAD * float(np.linalg.norm(self.at[side, "lateral_epicondyle"] - ankle))
            front = {
                label: float((place - ankle) @ self.outward[side])
                for label, place in free.items()
                if place[2] - self.floor_m < FOREFOOT_HEIGHT_M
                and (place - ankle) @ self.forward > reach_m
                and (place - self.middle) @ self.outward[side] > 0.0
            }
            if len(front) != 2:
                return {}
            inner, outer = sorted(front, key=front.__getitem__)
            metatarsals |= {(side, "metatarsal_1"): Leftover(inner, np.inf), (side, "metatarsal_5"): Leftover(outer, np.inf)}
        return metatarsals


def _computed_frames(free: Mapping[str, FloatArray]) -> Collection[str]:
    """Origins and axes' ends that a program wrote: three points at one distance from a fourth, at right angles."""
    labels = sorted(free)
    places = np.array([free[label] for label in labels]).reshape(-1, 3)
    computed: set[str] = set()
    for origin in range(len(labels)):
        v = places - places[origin]
        apart = np.linalg.norm(v, axis=1)
        for start in np.argsort(apart)[1:]:
            alike = [int(i) for i in np.flatnonzero(np.abs(apart - apart[start]) <= COMPUTED_SHARE * apart[start]) if i != origin]
            for triple in combinations(alike, 3) if 3 <= len(alike) <= 8 else ():
                unit = v[list(triple)] / apart[list(triple), None]
                cosines = unit @ unit.T - np.eye(3)
                if apart[start] > 0.0 and np.abs(cosines).max() <= np.sin(np.radians(COMPUTED_DEG)):
                    computed |= {labels[i] for i in (origin, *triple)}
    return computed


def with_leftovers(markerset: MarkerSet, labels: Collection[str], leftovers: Leftovers, walked: Collection[str]) -> MarkerSet:
    """Put a marker set under a recording's own labels, with what its leftover markers lie on.

    Parameters
    ----------
    markerset : MarkerSet
        Set whose markers the recording's come nearest to.
    labels : Collection[str]
        Of the static trial's markers.
    leftovers : Leftovers
        What those lie on that the set does not name; what is not certain is left out.
    walked : Collection[str]
        Labels that every walk shows: segments are followed by these, the others are needed in the static trial alone.

    Returns
    -------
    MarkerSet
        For the model of six degrees of freedom: points and clusters that the recording has.
    """
    own = relabelled(markerset, {meant: label for label, meant in markerset.matches(labels).items()})
    there = set(labels)
    certain = {key: each.label for key, each in leftovers.roles.items() if each.certain and key[1] in ROLES}
    landmarks = {key: label for key, label in own.landmarks.items() if label in there} | certain
    tracking = {}
    for (side, segment), cluster in own.tracking.items():
        besides = (label for (where, role), label in certain.items() if where == side and role in _ON_SEGMENT[segment])
        tracking[side, segment] = tuple(dict.fromkeys(label for label in (*cluster, *besides) if label in walked))
    in_use = {*landmarks.values(), *(label for cluster in tracking.values() for label in cluster)}
    return replace(
        own, models=("six-dof",), landmarks=MappingProxyType(landmarks), tracking=MappingProxyType(tracking),
        extra_landmarks=MappingProxyType({key: label for key, label in own.extra_landmarks.items() if label in there - in_use}),
        optional=frozenset(), static_only=frozenset(in_use - set(walked)),
    )  # fmt: skip


#: Segment -> roles of leftover markers that it is followed by as well.
_ON_SEGMENT: Mapping[str, tuple[str, ...]] = {
    "pelvis": (), "thigh": ("medial_epicondyle",), "shank": ("medial_malleolus",), "foot": ("metatarsal_1", "metatarsal_5"),
}  # fmt: skip
