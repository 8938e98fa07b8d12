"""The dictionary of causes: what can be wrong in a session, one row each, and how it is put into the session in memory.

A row of ``causes.csv`` says on what it acts (each leg, each plate, the whole session), in which unit, how large it commonly is
(``tau``, one SD of its size before the session is seen), to which class it belongs (one session cannot tell the causes of a class
apart) and how to put it in. A row that adds to residuals directly needs no putting in. ``exchanges.py`` has what is taken back and
compared, not fitted; the sentence ``likely-cause`` says what to look at. A row is added to `CAUSES`, from outside too.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from biomech_id.conventions import SIDES
from biomech_id.errors import InvalidValueError
from biomech_id.judgement.diagnosis import put
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.judgement.diagnosis.spread import HERE
from biomech_id.judgement.diagnosis.stances import find_stances
from biomech_id.languages import table
from biomech_id.plugins import Registry
from biomech_id.values import dataclass

#: (session, unit, size in SI units) -> session with the cause in it; None where it cannot be there.
Put = Callable[[Recorded, str, float], Recorded | None]
#: Unit of a size -> what turns it into SI units.
SI: Mapping[str, float] = {"mm": 1e-3, "deg": 0.017453292519943295, "%": 1e-2, "ms": 1e-3}


@dataclass(frozen=True)
class Cause:
    """One row of the dictionary.

    Attributes
    ----------
    scope : str
        "leg", "stance" (each plate that a foot stands on), "plate" (each of them that has a verdict on where the foot presses),
        "every plate" or "session".
    unit : str
        Of its size.
    tau : float
        One SD of its size before the session is seen, in that unit.
    group : str
        Class: causes of one class are not told apart by one session.
    put : Put | None, optional
        Puts it into a session; None where ``adds`` says what it does.
    adds : tuple[tuple[str, ...], float] | None, optional
        Residuals that grow by this much a unit of size, and no others.
    one_sided : bool, optional
        Whether its size is positive.
    """

    scope: str
    unit: str
    tau: float
    group: str
    put: Put | None = None
    adds: tuple[tuple[str, ...], float] | None = None
    one_sided: bool = False


@dataclass(frozen=True)
class Possible:
    """A cause where it can be: a row of the dictionary on one leg, one plate, or the session.

    Attributes
    ----------
    name : str
        "LKNE forward, whole", "plate 1 dx".
    unit : str
        "L", "R", number of a plate, "" for the session.
    row : Cause
        Of the dictionary.
    at : Mapping[tuple[str, str], float] | None, optional
        Residual and unit -> what a unit of size adds to it; None where the cause is put into the session.
    kind : str, optional
        Its name without the unit, as the dictionary has it: "{}KNE forward, whole".
    """

    name: str
    unit: str
    row: Cause
    at: Mapping[tuple[str, str], float] | None = None
    kind: str = ""

    def into(self, session: Recorded, size: float) -> Recorded | None:
        """Return the session with the cause in it.

        Parameters
        ----------
        session : Recorded
            The session in memory.
        size : float
            In the row's unit.

        Returns
        -------
        Recorded | None
            None where it cannot be there, adds to a residual directly, or is larger than anything that somebody measures.
        """
        if self.row.put is None:
            return None
        try:
            return self.row.put(session, self.unit, size * SI.get(self.row.unit, 1.0))
        except InvalidValueError:
            return None


def _rows() -> Iterator[tuple[str, Cause]]:
    """The rows of ``causes.csv``."""
    with (HERE / "causes.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            function = getattr(put, row["put"]) if row["put"] else None
            yield row["cause"], Cause(
                row["scope"], row["unit"], float(row["tau"]), row["class"],
                partial(function, *row["how"].split()) if function else None,
                (tuple(row["adds_to"].split(";")), float(row["adds"])) if row["adds_to"] else None, row["one_sided"] == "1",
            )  # fmt: skip


#: Every cause that has a size; "{}" is the side or the number of the plate.
CAUSES: Registry[str, Cause] = Registry("cause", dict(_rows()))


def where_to_look() -> Mapping[str, str]:
    """Return what somebody looks at who is told of a class of causes: class -> English words, of the rule ``likely-cause``."""
    looks: Mapping[str, str] = table("en")["likely-cause"]["look"]
    return looks


def possible(session: Recorded, keys: set[tuple[str, str]]) -> list[Possible]:
    """Return every cause that can be in a session.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    keys : set[tuple[str, str]]
        Residuals that it has a verdict on, and their units.

    Returns
    -------
    list[Possible]
        In the dictionary's order.
    """
    numbers = [str(i + 1) for i in range(len(session.plates))]
    units = {
        "session": [""], "leg": list(SIDES), "every plate": numbers,
        "stance": sorted({str(number) for number, _ in find_stances(session)}, key=numbers.index),
        "plate": [number for number in numbers if ("CoP medial of foot axis", number) in keys],
    }  # fmt: skip
    every = (
        Possible(name.format(unit), unit, row, _added(row, unit, keys), name)
        for name, row in CAUSES.items()
        for unit in units[row.scope]
    )
    return [one for one in every if one.at or (one.at is None and one.into(session, 0.0) is not None)]


def _added(row: Cause, own: str, keys: set[tuple[str, str]]) -> dict[tuple[str, str], float] | None:
    """What a unit of it adds to residuals directly; None where it is put into the session."""
    if row.adds is None:
        return None
    names, factor = row.adds
    return {(name, unit): factor for name, unit in keys if name in names and unit == (own or unit)}
