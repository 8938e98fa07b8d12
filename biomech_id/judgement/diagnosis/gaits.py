"""Ways of walking and walking aids as causes without a warning: a toe walker's centre of pressure is no moved plate.

A row of ``gaits.csv`` says what one way of walking adds to one residual: that of a virtual patient less that of the virtual walker
without a disorder, of the leg that walks so and of the plates under it, of the other leg, or of the session.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from biomech_id.conventions import SIDES
from biomech_id.judgement.diagnosis.causes import Cause, Possible
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.judgement.diagnosis.spread import HERE
from biomech_id.judgement.diagnosis.stances import find_stances

#: Class of every way of walking: what looks like one of them is no warning.
GAIT = "gait"
#: Those that are aids: no candidates where it is stated that nothing but the feet bears weight.
AIDS = ("crutches", "walker")
OWN, OTHER, SESSION = "own", "other", ""
#: Class of what asks for an aid to be stated, and the residual that it lowers at every stance: the feet bear less than the weight.
AID, BORNE = "aid", "single support / weight"
#: How residuals begin that move with where the aid stands on a plate, and what one adds (ms) that stands where no foot does.
TIP, BESIDE, BESIDE_MS = "CoP medial", "load without a foot", 300.0
#: How the causes begin that are such loads.
BESIDE_FEET = "beside the feet"


@cache
def gait_changes() -> Mapping[str, Mapping[tuple[str, str], float]]:
    """Return way of walking -> (residual, "own" | "other" leg, or "") -> what it adds, in the units of ``spread.csv``."""
    changes: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    with (HERE / "gaits.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            changes[row["gait"]][row["residual"], row["of"]] = float(row["adds"])
    return changes


def gaits(session: Recorded, keys: Iterable[tuple[str, str]]) -> list[Possible]:
    """Return every way of walking that a session can show, on each leg; aids only where nobody says that there is none.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    keys : Iterable[tuple[str, str]]
        Residuals that it has a verdict on, and their units.

    Returns
    -------
    list[Possible]
        "L toe walking", "R toe walking", ...
    """
    feet: dict[str, str] = {str(number): stance.side for number, stance in find_stances(session)}
    known = list(keys)
    ways = []
    for gait, changes in gait_changes().items():
        if session.aided is False and gait in AIDS:
            continue
        row = Cause("leg", "1", 1.0, GAIT, one_sided=True)
        for side in SIDES:
            of = {unit: SESSION if not unit else OWN if feet.get(unit, unit) == side else OTHER for _, unit in known}
            at = {(name, unit): changes[name, of[unit]] for name, unit in known if (name, of[unit]) in changes}
            ways.append(Possible(f"{side} {gait}", side, row, at, f"{{}} {gait}"))
    return ways


def unstated_aid(session: Recorded, values: Mapping[tuple[str, str], float]) -> list[Possible]:
    """Return the parts of an aid that nobody states, for a block: who leans on what, and where it stands, varies.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    values : Mapping[tuple[str, str], float]
        Its residuals.

    Returns
    -------
    list[Possible]
        "aid, ...": one of each residual of plates that crutches change, of all plates alike. "aid's place, ...": of where the force
        acts across the foot one of each plate, for an aid on a plate stands elsewhere at every step. "beside the feet, ...": a load
        without a foot, of each plate that shows one. None where somebody says whether there is an aid.
    """
    on_plates = [(name, unit) for name, unit in values if unit.isdigit()] if session.aided is None else []
    parts = []
    for (name, of), adds in gait_changes()[AIDS[0]].items():
        at = {key: adds for key in on_plates if key[0] == name and of == OWN}
        if at:
            row = Cause("session", "1", 1.0, AID, one_sided=name == BORNE)
            parts.append(Possible(f"aid, {name}", "", row, at))
            parts += [Possible(f"aid's place, {name}", key[1], row, {key: adds}) for key in at if name.startswith(TIP)]
    row = Cause("session", "1", 1.0, AID, one_sided=True)
    beside = [
        Possible(f"{BESIDE_FEET}, plate {key[1]}", key[1], row, {key: BESIDE_MS})
        for key in on_plates if key[0] == BESIDE and values[key] > 0.0
    ]  # fmt: skip
    return [*(parts if any(one.row.one_sided for one in parts) else []), *beside]
