"""Why a cycle has no kinetics or is not in the means, in words that a clinician reads."""

from __future__ import annotations

import re

from biomech_id.report.layout.style import Style

#: Verdicts on a stance that stand before their sentence in the tables: ``no_plate: no loaded plate is under the foot``.
_VERDICT = re.compile(r"\b(other_foot|left_plate|outline|light|cut|no_plate|override): ")


def in_words(reason: str, style: Style, *, first: bool = False) -> str:
    """Return a reason of the tables as sentences, verdicts by their name in the report's language.

    Parameters
    ----------
    reason : parts joined by ``"; "``, each perhaps with a verdict's identifier before it.
    first : the first part only.
    """
    named = _VERDICT.sub(lambda found: style.label(f"stance.{found[1]}") + ": ", reason)
    parts = [part.rstrip(".") for part in named.split("; ") if part]
    return " ".join(part[:1].upper() + part[1:] + "." for part in (parts[:1] if first else parts))
