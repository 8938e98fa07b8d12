"""A laboratory's own markers, named one by one: label -> point of the body, and the marker set that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from biomech_id.conventions import SIDES
from biomech_id.errors import InvalidValueError
from biomech_id.markersets.draft import markerset_toml
from biomech_id.markersets.marker_set import MarkerKey
from biomech_id.markersets.recognise import set_of_roles, spoken_roles
from biomech_id.markersets.standing import mean_places_m
from biomech_id.readers import read

_CLUSTERS = ("thigh", "shank", "foot")
_SIDED = (
    "asis", "psis", "thigh_wand", "lateral_epicondyle", "medial_epicondyle", "shank_wand", "lateral_malleolus", "medial_malleolus",
    "heel", "toe", "metatarsal_1", "metatarsal_2", "metatarsal_5", *_CLUSTERS,
    "head_front", "head_back", "shoulder", "lateral_elbow", "wrist_radial", "wrist_ulnar", "finger",
)  # fmt: skip
#: What a marker can be called -> (side, role), or (side, segment) for one more marker of a segment.
NAMES: dict[str, MarkerKey] = {
    **{role: ("", role) for role in ("sacrum", "c7", "t10", "clavicle", "sternum")},
    **{f"{side} {role}": (side, role) for side in SIDES for role in _SIDED},
}


def proposed_names(labels: Collection[str]) -> dict[str, str]:
    """Return what labels say by their words, for somebody to look over: label -> one of `NAMES`.

    Parameters
    ----------
    labels : Collection[str]
        Of a recording.
    """
    names = {key: name for name, key in NAMES.items()}
    spoken = {label: (side, role.partition(" ")[0]) for (side, role), label in spoken_roles(labels).items()}
    return {label: names[key] for label, key in spoken.items() if key in names}


def pictured_markers(path: Path) -> dict[str, list[float]]:
    """Return where each marker of a recording is on the average, for a picture of them.

    Parameters
    ----------
    path : Path
        The recording.

    Returns
    -------
    dict[str, list[float]]
        Label -> [x, y, z], m, laboratory axes with Z up, horizontally from the middle of the markers.
    """
    markers = read(path).markers
    return {label: place_m.round(3).tolist() for label, place_m in mean_places_m(markers.names, markers.position_m).items()}


def named_markers_toml(chosen: Mapping[str, str]) -> str:
    """Write the marker set of markers that somebody named.

    Parameters
    ----------
    chosen : Mapping[str, str]
        Label -> one of `NAMES`.

    Raises
    ------
    InvalidValueError
        Two labels are one point, or a segment that every model needs has no marker.
    """
    roles: dict[MarkerKey, str] = {}
    numbers = Counter[str]()
    for label, name in chosen.items():
        side, role = NAMES[name]
        if role in _CLUSTERS:
            numbers[name] += 1
            role = f"{role} {numbers[name]}"
        if (side, role) in roles:
            raise InvalidValueError(
                f"{roles[side, role]} and {label} are both called {name.replace('_', ' ')}.",
                value=label, expected="one marker for each point", where="markers",
            )  # fmt: skip
        roles[side, role] = label
    markers = set_of_roles(roles, list(chosen), "hand")
    for (side, segment), cluster in markers.tracking.items():
        if not cluster:
            raise InvalidValueError(
                f"No marker is named on the {f'{side} {segment}'.strip()}.",
                value="", expected="at least one of each segment", where="markers",
            )  # fmt: skip
    return markerset_toml(markers, "named in the desk")
