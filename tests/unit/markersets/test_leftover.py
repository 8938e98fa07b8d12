"""Markers that a set leaves over: a person of points, in which each has its place, its rivals and its company."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.markersets import load_markerset
from biomech_id.markersets.leftover import Leftovers, in_walk, name_leftovers, with_leftovers, written_beside
from biomech_id.markersets.marker_set import MarkerKey

#: Role -> forward, outward, up, m, of somebody whose spines are 0.95 m high, looking along x.
PLACES = {
    "asis": (0.10, 0.12, 0.95), "lateral_epicondyle": (0.03, 0.16, 0.48), "lateral_malleolus": (0.0, 0.15, 0.07),
    "medial_epicondyle": (0.02, 0.05, 0.47), "medial_malleolus": (0.02, 0.08, 0.075), "tibial_tubercle": (0.08, 0.11, 0.40),
}  # fmt: skip
NAMED = ("asis", "lateral_epicondyle", "lateral_malleolus")


def person(*roles: str) -> tuple[dict[MarkerKey, str], dict[str, np.ndarray]]:
    """Roles of the named markers, and places of all; what is left over has labels that say nothing."""
    sides = {"L": 1.0, "R": -1.0}
    at = {(side, role): np.array(PLACES[role]) * [1.0, sign, 1.0] for side, sign in sides.items() for role in (*NAMED, *roles)}
    labels = {key: f"{key[0]}_{key[1]}" if key[1] in NAMED else f"q{number}" for number, key in enumerate(at)}
    heels = {f"{side}_heel": np.array([-0.05, 0.12 * sign, 0.02]) for side, sign in sides.items()}
    return {key: labels[key] for key in at if key[1] in NAMED}, {labels[key]: place for key, place in at.items()} | heels


def tips(edge_m: float, off: float = 0.006) -> dict[str, np.ndarray]:
    """Three tips of a left knee device, one of them off by a share of the edge."""
    corner = np.array([0.03, 0.20, 0.48])
    axes = np.array([[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    return {f"tip{i}": corner + edge_m * axis * (1.0 + off * (i == 0)) for i, axis in enumerate(axes)}


def test_medial_markers_and_the_tubercle_have_their_names() -> None:
    wanted = ("medial_epicondyle", "medial_malleolus", "tibial_tubercle")
    roles, place_m = person(*wanted)
    found = name_leftovers(roles, place_m)
    assert {key: np.round(place_m[each.label], 3).tolist() for key, each in found.roles.items()} == {
        (side, role): (np.array(PLACES[role]) * [1.0, 1.0 if side == "L" else -1.0, 1.0]).tolist()
        for side in "LR"
        for role in wanted
    }
    assert all(each.certain for each in found.roles.values())


@pytest.mark.parametrize(
    "place",
    [(0.085, 0.095, 0.49), (0.095, 0.07, 0.48), (0.02, 0.05, 0.53), (0.02, 0.13, 0.47)],
    ids=["patella", "patella placed far inside", "higher", "cluster"],
)
def test_what_lies_at_a_knee_and_not_inside_it_is_no_medial_knee(place: tuple[float, float, float]) -> None:
    roles, place_m = person()
    assert name_leftovers(roles, place_m | {"other": np.array(place)}).roles == {}


def test_two_markers_on_one_condyle_are_asked() -> None:
    roles, place_m = person("medial_epicondyle")
    (own,) = (label for label, place in place_m.items() if label not in roles.values() and place[2] > 0.3 and place[1] > 0)
    twice = name_leftovers(roles, place_m | {"twin": place_m[own] + [0.002, 0.002, 0.001]})
    assert not twice.roles["L", "medial_epicondyle"].certain
    assert twice.roles["R", "medial_epicondyle"].certain
    plain = load_markerset("plug-in-gait")
    assert ("L", "medial_epicondyle") not in with_leftovers(plain, list(place_m), twice, list(place_m)).landmarks


def test_a_device_is_known_by_three_equal_distances_and_computed_tips_by_better_ones() -> None:
    roles, place_m = person("medial_epicondyle")
    device = name_leftovers(roles, place_m | tips(0.10))
    assert device.devices == {"L": ("tip0", "tip1", "tip2")}
    assert device.roles["L", "medial_epicondyle"].certain
    corner = {"corner": np.array([0.03, 0.20, 0.48])}
    written = name_leftovers(roles, place_m | tips(0.10, off=0.0) | corner)
    assert (written.devices, written.computed) == ({}, {"tip0", "tip1", "tip2", "corner"})


def test_three_equal_distances_away_from_a_lateral_knee_are_no_device() -> None:
    roles, place_m = person("medial_epicondyle")
    higher = {label: place + [0.0, 0.0, 0.07] for label, place in tips(0.08).items()}
    assert name_leftovers(roles, place_m | higher).devices == {}
    alone = {key: label for key, label in roles.items() if key != ("L", "lateral_epicondyle")}
    bare = {label: place for label, place in place_m.items() if label in alone.values() or label not in roles.values()}
    assert name_leftovers(alone, bare | higher).devices == {"L": ("tip0", "tip1", "tip2")}


def test_without_lateral_knees_and_toes_nothing_is_named() -> None:
    roles, place_m = person("medial_malleolus")
    ankles = {key: label for key, label in roles.items() if key[1] != "lateral_epicondyle"}
    assert name_leftovers(ankles, {label: place for label, place in place_m.items() if "epicondyle" not in label}).roles == {}


def test_a_point_that_keeps_its_distance_to_within_rounding_was_written_by_a_program() -> None:
    rng = np.random.default_rng(1)
    roles, place_m = person("medial_malleolus")
    path_m = {label: place + rng.normal(0.0, 1e-5, (100, 3)) for label, place in place_m.items()}
    path_m["written"] = path_m["L_lateral_malleolus"] + [0.02, -0.06, 0.0] + rng.normal(0.0, 5e-9, (100, 3))
    assert written_beside(roles, path_m) == {"written"}
    # Whole numbers that never change, and a recording that was computed, tell nothing.
    still = {label: np.tile(place, (100, 1)) for label, place in place_m.items()}
    assert (
        written_beside(roles, path_m | {"q": still["L_lateral_malleolus"], "L_lateral_malleolus": still["L_lateral_malleolus"]})
        == set()
    )
    rounded = {label: path + rng.normal(0.0, 5e-9, (100, 3)) for label, path in still.items()}
    assert written_beside(roles, rounded) == set()
    assert written_beside({}, path_m) == set()


@pytest.mark.parametrize(("varies_m", "kept"), [(0.002, True), (0.010, False), (0.0, False)])
def test_a_walk_keeps_only_what_moves_as_skin_does(varies_m: float, kept: bool) -> None:
    roles, place_m = person("medial_epicondyle")
    found = name_leftovers(roles, place_m)
    time = np.linspace(0.0, 12.0, 200)

    def path_m(label: str) -> np.ndarray | None:
        if label not in place_m:
            return None
        moved = place_m[label] + np.stack([time, 0.0 * time, 0.0 * time], axis=1)
        return moved if label in roles.values() else moved + np.sqrt(2.0) * varies_m * np.sin(time)[:, None] * [0.0, 1.0, 0.0]

    assert bool(in_walk(found, roles, path_m).roles) is kept


def test_metatarsals_are_told_by_their_side_where_a_foot_wears_two() -> None:
    roles, place_m = person()
    front = {
        f"{side}{n}": np.array([0.14, sign * outward, 0.02])
        for side, sign in (("L", 1.0), ("R", -1.0))
        for n, outward in ((1, 0.11), (2, 0.19))
    }
    found = name_leftovers(roles, place_m | front)
    named = {key: each.label for key, each in found.roles.items()}
    assert named == {(s, f"metatarsal_{n}"): f"{s}{1 if n == 1 else 2}" for s in "LR" for n in (1, 5)}
    three = front | {"L3": np.array([0.15, 0.15, 0.02])}
    assert name_leftovers(roles, place_m | three) == Leftovers({}, {}, frozenset())
