"""What the conventional model needs, and one sentence that names everything a recording lacks of it."""

from __future__ import annotations

from collections.abc import Sequence

from biomech_id.anatomy import PELVIS, SIDE_WORDS, Part
from biomech_id.conventions import SIDES
from biomech_id.errors import Cure, MissingInputError
from biomech_id.models.conventional.knee_alignment import has_device
from biomech_id.models.landmarks import with_roles
from biomech_id.trial import Markers, Subject

LEG_ROLES: tuple[str, ...] = ("thigh_wand", "lateral_epicondyle", "shank_wand", "lateral_malleolus", "heel", "toe")
#: Roles of the markers that move with each segment; the pelvis' are the first four with either side, and the sacrum.
SEGMENT_ROLES: dict[str, tuple[str, ...]] = {
    "thigh": ("thigh_wand", "lateral_epicondyle"),
    "shank": ("shank_wand", "lateral_malleolus"),
    "foot": ("lateral_malleolus", "heel", "toe"),
}
#: Measurements of each leg: field of `Subject` and words.
LEG_MEASUREMENTS = (("leg_length_m", "leg length"), ("knee_width_m", "knee width"), ("ankle_width_m", "ankle width"))
PELVIS_KEYS: tuple[tuple[str, str], ...] = (("L", "asis"), ("R", "asis"), ("L", "psis"), ("R", "psis"), ("", "sacrum"))


def marker_groups(markers: Markers) -> dict[Part, tuple[str, ...]]:
    """Return the markers that move with each segment.

    Parameters
    ----------
    markers : Markers
        Of any trial of the subject; whether a marker is there does not matter.

    Returns
    -------
    dict[Part, tuple[str, ...]]
        (side, segment) -> labels, as far as the marker set names them.
    """
    roles = with_roles(markers).roles
    groups: dict[Part, tuple[Part, ...]] = {PELVIS: PELVIS_KEYS}
    groups |= {(side, name): tuple((side, role) for role in own) for side in SIDES for name, own in SEGMENT_ROLES.items()}
    return {part: tuple(roles[key] for key in keys if key in roles) for part, keys in groups.items()}


def marker_names(markers: Markers) -> tuple[str, ...]:
    """Return the names of all markers that the model looks at in a walking trial.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.

    Returns
    -------
    tuple[str, ...]
        Labels, as far as the marker set names them (see `marker_groups`).
    """
    roles = with_roles(markers).roles
    keys = (*PELVIS_KEYS, *((side, role) for side in SIDES for role in LEG_ROLES))
    return tuple(roles[key] for key in keys if key in roles)


def sides_with_markers(markers: Markers, *, static: bool) -> tuple[str, ...]:
    """Return the sides that the model can place.

    A recording of one leg alone is served; a leg with some of its markers and not others is a mistake that `require` names.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    static : bool
        Whether the trial is the static one.

    Returns
    -------
    tuple[str, ...]
        Those with every leg marker, or both where neither is complete.
    """
    markers = with_roles(markers)
    absent = {side: _missing_leg_markers(markers, side, static=static) for side in SIDES}
    bare = {side for side in SIDES if not any(markers.shows(side, role) for role in LEG_ROLES)}
    complete = [side for side in SIDES if not absent[side]]
    return tuple(complete) if complete and bare and set(SIDES) - set(complete) == bare else SIDES


def missing_markers(markers: Markers, sides: tuple[str, ...], *, static: bool) -> list[str]:
    """Return the markers that the model lacks.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    sides : tuple[str, ...]
        "L", "R" or both.
    static : bool
        Whether the trial is the static one.

    Returns
    -------
    list[str]
        In words, in a fixed order; empty where all are there.
    """
    markers = with_roles(markers)
    missing = [markers.label(side, "asis") for side in SIDES if not markers.shows(side, "asis")]
    if not markers.shows("", "sacrum"):
        spines = [markers.label(side, "psis") for side in SIDES if not markers.shows(side, "psis")]
        sacrum = markers.label("", "sacrum")
        if spines:
            missing.append(f"{sacrum} (or {' and '.join(spines)})" if len(spines) == 2 else f"{spines[0]} (or {sacrum})")
    for side in sides:
        missing += _missing_leg_markers(markers, side, static=static)
    return missing


def _missing_leg_markers(markers: Markers, side: str, *, static: bool) -> list[str]:
    shown = ("lateral_epicondyle",) if static and has_device(markers, side) else ()
    return [markers.label(side, role) for role in LEG_ROLES if role not in shown and not markers.shows(side, role)]


def missing_measurements(subject: Subject, sides: tuple[str, ...], *, with_mass: bool = True) -> list[str]:
    """Return the body measurements that the model lacks.

    Parameters
    ----------
    subject : Subject
        Measurements; zero counts as missing.
    sides : tuple[str, ...]
        "L", "R" or both.
    with_mass : bool, optional
        Whether the body mass is needed: for joint loads, not for kinematics alone.

    Returns
    -------
    list[str]
        In words, in a fixed order; empty where all are there.
    """
    missing = ["body mass"] if with_mass and not subject.mass_kg else []
    for field, words in LEG_MEASUREMENTS:
        absent = [side for side in sides if not getattr(subject, field).get(side)]
        if absent:
            which = "" if len(absent) == len(SIDES) else f"{SIDE_WORDS[absent[0]]} "
            missing.append(which + words + ("s" if len(absent) > 1 else ""))
    return missing


def cures_of(lacking: Sequence[str], subject: Subject | None, sides: tuple[str, ...]) -> tuple[Cure, ...]:
    """Return what somebody can do about markers and measurements that are lacking.

    Parameters
    ----------
    lacking : Sequence[str]
        Labels of the markers.
    subject : Subject | None
        Measurements; None where none is asked for.
    sides : tuple[str, ...]
        "L", "R" or both.

    Returns
    -------
    tuple[Cure, ...]
        One for markers and one for measurements, each only where something of it lacks.
    """
    absent = [field for field, _ in LEG_MEASUREMENTS if subject and not all(getattr(subject, field).get(side) for side in sides)]
    keys = tuple(field.removesuffix("_m") + "_mm" for field in absent)
    measurements = (Cure("measurements", keys=keys),) if keys else ()
    return (*((Cure("markers", names=tuple(lacking)),) if lacking else ()), *measurements)


def require(
    markers: Markers, subject: Subject | None, sides: tuple[str, ...], *, static: bool, where: str, with_mass: bool = True
) -> None:
    """Refuse a recording the model cannot be built from or placed in, naming everything that is missing at once.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    subject : Subject | None
        Measurements; None asks for none.
    sides : tuple[str, ...]
        "L", "R" or both.
    static : bool
        Whether the trial is the static one.
    where : str
        The file or trial concerned, for the error message.
    with_mass : bool, optional
        Whether the body mass is needed: for joint loads, not for kinematics alone.

    Raises
    ------
    MissingInputError
        Markers, or (with ``subject``) body measurements, are missing.
    """
    lacking = missing_markers(markers, sides, static=static)
    measures = [] if subject is None else missing_measurements(subject, sides, with_mass=with_mass)
    if not lacking and not measures:
        return
    parts = [f"the marker{'s' * (len(lacking) > 1)} {', '.join(lacking)}"] * bool(lacking)
    parts += [", ".join(measures)] * bool(measures)
    hint = " Measurements can be given in subject.toml." if measures else ""
    raise MissingInputError(
        f"The conventional model lacks {' and '.join(parts)} in {where}.{hint}",
        value=[*lacking, *measures], expected="every marker and measurement of the conventional model", where=where,
    ).cured_by(*cures_of(lacking, subject, sides))  # fmt: skip
