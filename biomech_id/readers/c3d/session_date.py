"""When a recording was made, from every parameter that says it; a date that can be read in two ways is none."""

from __future__ import annotations

import re
from datetime import date
from itertools import product

from biomech_id.readers.c3d.parameters import Parameters

#: Group and name of the parameters that hold a date, in the order in which they are asked.
PLACES = (*product(["TRIAL"], ["DATE", "DATE_TIME", "DATETIME"]), *product(["SESSION", "SUBJECT", "ANALYSIS"], ["DATE"]))


def session_date(parameters: Parameters) -> str | None:
    """Return the date of the recording.

    Parameters
    ----------
    parameters : Parameters
        Of any file; TRIAL, SESSION, SUBJECT and ANALYSIS are asked, in this order.

    Returns
    -------
    str | None
        ISO date; None when the file does not say or can be read in two ways (3/4/2008).
    """
    for group, name in PLACES:
        numbers = parameters.numbers(group, name).ravel()
        day = _iso(*map(int, numbers[:3])) if numbers.size >= 3 else _from_text(parameters.text(group, name))
        if day:
            return day
    return None


def _from_text(text: str) -> str | None:
    parts = re.findall(r"\d+", text)[:3]
    if len(parts) < 3:
        return None
    if len(parts[0]) == 4:
        return _iso(*(int(part) for part in parts))
    first, second, year = (int(part) for part in parts)
    if len(parts[2]) != 4 or (first <= 12 and second <= 12 and first != second):
        return None
    day, month = (second, first) if second > 12 else (first, second)
    return _iso(year, month, day)


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat() if 1970 <= year <= 2200 else None
    except ValueError:
        return None
