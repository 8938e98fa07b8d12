"""What the conventional model needs, and one sentence that names everything a recording lacks of it."""

from __future__ import annotations

from biomech_id.anatomy import SIDE_WORDS
from biomech_id.conventions import SIDES
from biomech_id.errors import MissingInputError
from biomech_id.models.conventional.knee_alignment import has_device
from biomech_id.trial import Markers, Subject

LEG_MARKERS: tuple[str, ...] = ("THI", "KNE", "TIB", "ANK", "HEE", "TOE")


def sides_with_markers(markers: Markers, *, static: bool) -> tuple[str, ...]:
    """Return the sides that the model can place: those with every leg marker, or both where neither is complete.

    A recording of one leg alone is served; a leg with some of its markers and not others is a mistake that `require` names.
    """
    absent = {side: _missing_leg_markers(markers, side, static=static) for side in SIDES}
    bare = {side for side in SIDES if not any(markers.present(f"{side}{name}") for name in LEG_MARKERS)}
    complete = [side for side in SIDES if not absent[side]]
    return tuple(complete) if complete and bare and set(SIDES) - set(complete) == bare else SIDES


def missing_markers(markers: Markers, sides: tuple[str, ...], *, static: bool) -> list[str]:
    """Return the markers the model lacks, in words, in a fixed order."""
    missing = [name for name in ("LASI", "RASI") if not markers.present(name)]
    if not markers.present("SACR"):
        posterior = [name for name in ("LPSI", "RPSI") if not markers.present(name)]
        if posterior:
            missing.append("SACR (or LPSI and RPSI)" if len(posterior) == 2 else f"{posterior[0]} (or SACR)")
    for side in sides:
        missing += _missing_leg_markers(markers, side, static=static)
    return missing


def _missing_leg_markers(markers: Markers, side: str, *, static: bool) -> list[str]:
    missing = [f"{side}{name}" for name in LEG_MARKERS if not markers.present(f"{side}{name}")]
    if static and has_device(markers, side):
        missing.remove(f"{side}KNE")
    return missing


def missing_measurements(subject: Subject, sides: tuple[str, ...]) -> list[str]:
    """Return the body measurements the model lacks, in words, in a fixed order."""
    missing = [] if subject.mass_kg else ["body mass"]
    for field, words in (("leg_length_m", "leg length"), ("knee_width_m", "knee width"), ("ankle_width_m", "ankle width")):
        absent = [side for side in sides if not getattr(subject, field).get(side)]
        if absent:
            which = "" if len(absent) == len(SIDES) else f"{SIDE_WORDS[absent[0]]} "
            missing.append(which + words + ("s" if len(absent) > 1 else ""))
    return missing


def require(markers: Markers, subject: Subject | None, sides: tuple[str, ...], *, static: bool, where: str) -> None:
    """Refuse a recording the model cannot be built from or placed in, naming everything that is missing at once.

    Raises
    ------
    MissingInputError : markers, or (with ``subject``) body measurements, are missing.
    """
    lacking = missing_markers(markers, sides, static=static)
    measures = [] if subject is None else missing_measurements(subject, sides)
    if not lacking and not measures:
        return
    parts = [f"the marker{'s' * (len(lacking) > 1)} {', '.join(lacking)}"] * bool(lacking)
    parts += [", ".join(measures)] * bool(measures)
    hint = " Measurements can be given in subject.toml." if measures else ""
    raise MissingInputError(
        f"The conventional model lacks {' and '.join(parts)} in {where}.{hint}",
        value=[*lacking, *measures], expected="every marker and measurement of the conventional model", where=where,
    )  # fmt: skip
