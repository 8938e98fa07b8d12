"""What puts one cause into a session in memory: every function takes the session, a unit and a size in SI units.

A unit is "L" or "R", the number of a plate, or "" for both legs or all plates. None says that the cause cannot be in this session;
a size of zero, by which that is asked of every cause, takes no work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.rotation import rotation_about
from biomech_id.conventions import SIDES
from biomech_id.judgement.diagnosis.of_legs import LEG_LABELS, segment_axes
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.judgement.diagnosis.stances import at_times
from biomech_id.trial import ForcePlate, Markers


def aside(label: str, along: str, when: str, session: Recorded, unit: str, size: float) -> Recorded | None:
    """A marker lies aside along an axis of its segment: in the whole session, since the static trial, or from mid-walk."""
    segment, way = along.split(":")
    if when == "since" and session.standing is None:
        return None
    if not size:
        return session
    walk = _aside(session, session.markers, unit + label, segment, way, size, from_middle=when == "mid")
    if when != "whole" or session.standing is None:
        return replace(session, markers=walk)
    return replace(session, markers=walk, standing=_aside(session, session.standing, unit + label, segment, way, size))


def _aside(
    session: Recorded, markers: Markers, name: str, segment: str, way: str, size_m: float, *, from_middle: bool = False
) -> Markers:
    side = name[0] if name[0] in SIDES and name != "SACR" else "L"
    step = size_m * segment_axes(session, markers, side, segment)[way]
    if from_middle:
        step = np.where(np.arange(len(step))[:, None] < len(step) // 2, 0.0, step)
    return _moved(markers, {name: step})


def _moved(markers: Markers, steps: dict[str, FloatArray]) -> Markers:
    position = markers.position_m.copy()
    for name, step in steps.items():
        position[:, markers.names.index(name)] += step
    return markers.with_positions(position)


def both_asis(session: Recorded, unit: str, size: float) -> Recorded | None:
    """Both anterior spines' markers lie forward."""
    for side in SIDES:
        moved = aside("ASI", "pelvis:forward", "whole", session, side, size)
        assert moved is not None
        session = moved
    return session


def mismeasured(field: str, session: Recorded, unit: str, size: float) -> Recorded | None:
    """A length was measured or typed in wrong: of one leg, of both, or of the body."""
    value = getattr(session.subject, field)
    if not value:
        return None
    changed = value + size if isinstance(value, float) else {s: v + size * (unit in ("", s)) for s, v in value.items()}
    return replace(session, subject=session.subject.with_values("diagnosis", **{field: changed}))


def learnt(field: str, session: Recorded, unit: str, size: float) -> Recorded | None:
    """An angle that a static trial taught is of another day; where there is a static trial, it is learnt anew."""
    return None if session.standing is not None else mismeasured(field, session, unit, size)


def weighed(session: Recorded, unit: str, size: float) -> Recorded | None:
    """The body's mass is another."""
    if not session.subject.mass_kg or not session.plates:
        return None
    return replace(session, subject=replace(session.subject, mass_kg=session.subject.mass_kg * (1.0 + size)))


def shod(session: Recorded, unit: str, size: float) -> Recorded | None:
    """The static trial was recorded in shoes: what is behind the toes stands higher."""
    if session.standing is None:
        return None
    toes = [name.endswith("TOE") for name in session.standing.names]
    return replace(session, standing=_mapped(session.standing, lambda p: p + np.where(toes, 0.0, size)[:, None] * [0.0, 0.0, 1.0]))


def not_flat(about: str, session: Recorded, unit: str, size: float) -> Recorded | None:
    """Feet were not flat in the static trial: heels stood up about the toes ("TOE"), or forefeet about the heels ("HEE")."""
    if session.standing is None:
        return None
    steps = dict[str, FloatArray]()
    for side in (unit,) if unit else SIDES:
        foot = {label: session.standing[side + label] for label in ("HEE", "ANK", "TOE")}
        along = over_seen(np.nanmedian, foot["TOE"] - foot["HEE"], axis=0)
        level_m = float(np.hypot(along[0], along[1]))
        if not level_m:  # one path under both labels
            return None
        R = np.array([[along[0], -along[1], 0.0], [along[1], along[0], 0.0], [0.0, 0.0, level_m]]) / level_m
        R = R @ rotation_about(1, np.array((size if about == "TOE" else -size) / level_m)) @ R.T
        steps |= {side + label: (path - foot[about]) @ (R - np.eye(3)).T for label, path in foot.items()}
        # The leg goes with its ankle.
        steps |= {side + label: steps[side + "ANK"] for label in ("TIB", "KNE", "THI")}
    if not unit:
        steps |= dict.fromkeys(("LASI", "RASI", "SACR"), 0.5 * (steps["LANK"] + steps["RANK"]))
    return replace(session, standing=_moved(session.standing, steps))


def _mapped(markers: Markers, change: Callable[[FloatArray], FloatArray]) -> Markers:
    return markers.with_positions(np.asarray(change(markers.position_m)))


def leg_late(session: Recorded, unit: str, size: float) -> Recorded | None:
    """The markers of one leg are later than the others."""
    if not size:
        return session
    markers, position = session.markers, session.markers.position_m.copy()
    then_s = np.arange(markers.n_frames) / markers.rate_hz - size
    for label in LEG_LABELS:
        position[:, markers.names.index(unit + label)] = at_times(markers[unit + label], markers.rate_hz, then_s)
    return replace(session, markers=markers.with_positions(position))


def tilted(axis: str, session: Recorded, unit: str, size: float) -> Recorded | None:
    """The cameras' axes are tilted against floor and plates."""
    if not size:
        return session
    R, centre = rotation_about(int(axis), np.array(size)), _middle(session)
    return _all_markers(session, lambda p: centre + (p - centre) @ R.T, whole=True)


def rescaled(where: str, session: Recorded, unit: str, size: float) -> Recorded | None:
    """The cameras measure too long: in the whole session, or in the walk alone, for which there must be a static trial."""
    whole = where == "whole"
    if not whole and session.standing is None:
        return None
    if not size:
        return session
    centre = _middle(session)
    return _all_markers(session, lambda p: centre + (p - centre) * (1.0 + size), whole=whole)


def _middle(session: Recorded) -> FloatArray:
    """Point of the floor about which cameras and plates turn against each other: the plates' middle, (3,), metres."""
    return np.mean([plate.centre_m for plate in session.plates], axis=0) if session.plates else np.zeros(3)


def _all_markers(session: Recorded, change: Callable[[FloatArray], FloatArray], *, whole: bool) -> Recorded:
    standing = session.standing if session.standing is None or not whole else _mapped(session.standing, change)
    return replace(session, markers=_mapped(session.markers, change), standing=standing)


def _plates(session: Recorded, unit: str, size: float, change: Callable[[ForcePlate], ForcePlate]) -> Recorded | None:
    """Change one plate by its number, or all."""
    if not session.plates:
        return None
    if not size:
        return session
    return replace(session, plates=tuple(change(p) if unit in ("", str(i)) else p for i, p in enumerate(session.plates, start=1)))


def plate_moved(axis: str, session: Recorded, unit: str, size: float) -> Recorded | None:
    """A plate lies elsewhere than the file says."""
    return _plates(session, unit, size, lambda plate: replace(plate, corners_m=plate.corners_m + size * np.eye(3)[int(axis)]))


def plate_turned(session: Recorded, unit: str, size: float) -> Recorded | None:
    """A plate is turned about its middle, all plates together about theirs."""
    R, middle = rotation_about(2, np.array(size)), _middle(session)

    def turned(plate: ForcePlate) -> ForcePlate:
        plate = plate.moved(0.0, 0.0, size)
        return plate if unit else replace(plate, corners_m=plate.corners_m + (R - np.eye(3)) @ (plate.centre_m - middle))

    return _plates(session, unit, size, turned)


def gained(channels: str, session: Recorded, unit: str, size: float) -> Recorded | None:
    """Channels of a plate show too much: F the vertical force, f the shear, M all moments, x and y one of them."""
    force = 1.0 + size * np.array(["f" in channels, "f" in channels, "F" in channels])
    moment = 1.0 + size * np.array(["M" in channels or "x" in channels, "M" in channels or "y" in channels, "M" in channels])

    def changed(plate: ForcePlate) -> ForcePlate:
        R = edge_axes(plate)
        force_N, moment_Nm = (
            values @ R * factor @ R.T for values, factor in ((plate.force_lab_N, force), (plate.moment_lab_Nm, moment))
        )
        return replace(plate, force_lab_N=force_N, moment_lab_Nm=moment_Nm)

    return _plates(session, unit, size, changed)


def cross_talk(axis: str, session: Recorded, unit: str, size: float) -> Recorded | None:
    """The vertical force leaks into a shear of the plate's own axes."""

    def leaking(plate: ForcePlate) -> ForcePlate:
        R = edge_axes(plate)
        return replace(plate, force_lab_N=plate.force_lab_N + size * (plate.force_lab_N @ R[:, 2:]) * R[:, int(axis)])

    return _plates(session, unit, size, leaking)


def edge_axes(plate: ForcePlate) -> FloatArray:
    """Return a plate's own axes, columns in laboratory components, (3, 3): x and y along its edges, z downwards (C3D, type 2).

    Parameters
    ----------
    plate : ForcePlate
        With its corners in the file's order.
    """
    c = plate.corners_m
    x = (c[0] - c[1]) / np.linalg.norm(c[0] - c[1])
    z = np.cross(x, c[0] - c[3])
    z /= np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z], axis=1)


def late(session: Recorded, unit: str, size: float) -> Recorded | None:
    """A plate is later than the cameras."""
    return _plates(session, unit, size, lambda plate: _at(plate, plate_times(plate) - size))


def clock(session: Recorded, unit: str, size: float) -> Recorded | None:
    """The plates' clock runs fast."""
    return _plates(session, unit, size, lambda plate: _at(plate, plate_times(plate) * (1.0 - size)))


def plate_times(plate: ForcePlate) -> FloatArray:
    """Return the times of a plate's samples from the first one, (n,), seconds.

    Parameters
    ----------
    plate : ForcePlate
        As recorded.
    """
    return np.asarray(np.arange(plate.n_samples) / plate.rate_hz)


def _at(plate: ForcePlate, time_s: FloatArray) -> ForcePlate:
    force, moment = (at_times(values, plate.rate_hz, time_s) for values in (plate.force_lab_N, plate.moment_lab_Nm))
    return replace(plate, force_lab_N=force, moment_lab_Nm=moment)


def events_shifted(session: Recorded, unit: str, size: float) -> Recorded | None:
    """The stored events are all late."""
    if not session.events:
        return None
    return replace(session, events=tuple(replace(event, time_s=event.time_s + size) for event in session.events))
