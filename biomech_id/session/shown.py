"""What a session's tables say in Python beside their files: kinetics in words, all findings in one table, other normalisers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import pandas as pd

from biomech_id.conventions import GRAVITY_LAB_M_S2
from biomech_id.errors import InvalidValueError, MissingInputError
from biomech_id.movement.grades import Grade


class KineticsShare(StrEnum):
    """How much of a cycle has joint loads."""

    WHOLE = "whole"
    STANCE = "stance"
    NONE = "none"


#: Text of ``kinetics_valid`` in files -> what it means.
_OF_FILES = {"true": KineticsShare.WHOLE, "stance_only": KineticsShare.STANCE, "false": KineticsShare.NONE}
#: What loads are divided by -> the subject's measurements that are needed beside the mass, which tables are divided by.
NORMALISERS: Mapping[str, tuple[str, ...]] = {
    "mass": (), "none": ("mass_kg",), "mass*height": ("height_m",), "weight*height": ("height_m",),
}  # fmt: skip
#: Severity of a rule that is not met.
_SEVERITY = {Grade.WARN: "warning", Grade.REJECT: "error"}


def with_kinetics_words(table: pd.DataFrame) -> pd.DataFrame:
    """Add ``kinetics`` (a categorical of `KineticsShare`) behind ``kinetics_valid``, whose texts "true" and "false" are both true.

    Parameters
    ----------
    table : pd.DataFrame
        A table as it is shown; it gets the column, its files do not.

    Returns
    -------
    pd.DataFrame
        The same table.
    """
    if "kinetics_valid" in table.columns and "kinetics" not in table.columns:
        words = (
            table["kinetics_valid"].astype(str).map(_OF_FILES).astype(pd.CategoricalDtype([str(each) for each in KineticsShare]))
        )
        table.insert(list(table.columns).index("kinetics_valid") + 1, "kinetics", words)
    return table


def findings_table(summary: Mapping[str, Any], quality: pd.DataFrame) -> pd.DataFrame:
    """Put the findings of a session and of its trials, and the rules they do not meet, into one table.

    Parameters
    ----------
    summary : Mapping[str, Any]
        As ``summary.json`` holds it.
    quality : pd.DataFrame
        Every rule applied to every trial.

    Returns
    -------
    pd.DataFrame
        ``trial layer severity rule reason hint``, errors first, then warnings, then what is only told.
    """
    layers = dict(zip(quality["rule"], quality["layer"], strict=True)) if "layer" in quality else {}
    of_all = [("", summary["findings"]), *((trial["name"], trial["findings"]) for trial in summary["trials"])]
    rows = [
        (trial, layers.get(each["rule"], ""), each["severity"], each["rule"], each["message"], each["hint"])
        for trial, findings in of_all
        for each in findings
    ]
    reasons = {trial["name"]: trial["reasons"] for trial in summary["trials"]}
    rows += [row for row in _unmet(quality, reasons) if (row[0], row[3]) not in {(known[0], known[3]) for known in rows}]
    table = pd.DataFrame(rows, columns=["trial", "layer", "severity", "rule", "reason", "hint"])
    order = table["severity"].map({"error": 0, "warning": 1}).fillna(2)
    return table.loc[order.sort_values(kind="stable").index].reset_index(drop=True)


def _unmet(quality: pd.DataFrame, reasons: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Rows of the rules that are not met; ``reasons`` has the sentences of each trial in the order of its rules."""
    for trial, rules in quality[quality["verdict"].isin(list(_SEVERITY))].groupby("trial", sort=False):
        for row, reason in zip(rules.to_dict("records"), reasons[str(trial)], strict=True):
            severity = _SEVERITY[Grade(row["verdict"])]
            yield str(trial), str(row.get("layer", "")), severity, str(row["rule"]), f"{trial}: {reason}.", ""


def normalising_factor(normalise: str, unit: str, subject: Mapping[str, Any], variable: str) -> float:
    """Return what a load in the tables is multiplied by to be normalised otherwise.

    Parameters
    ----------
    normalise : str
        What loads are divided by, one of `NORMALISERS`.
    unit : str
        Of the variable in the tables: "N m/kg".
    subject : Mapping[str, Any]
        Measurements by name, in SI.
    variable : str
        Its name, for sentences.

    Returns
    -------
    float
        1 for "mass".

    Raises
    ------
    InvalidValueError
        The variable is no load.
    MissingInputError
        A measurement that is needed is not known.
    """
    if normalise == "mass":
        return 1.0
    if not unit.endswith("/kg"):
        raise InvalidValueError(
            f"normalise is {normalise!r}, but {variable} is in {unit or 'no unit'}: it is no load.",
            value=variable, expected="a force, moment or power", where="curves",
        )  # fmt: skip
    lacking = [name for name in NORMALISERS[normalise] if not subject.get(name)]
    if lacking:
        raise MissingInputError(
            f"normalise is {normalise!r}, but the subject's {lacking[0]} is not known.",
            value=None, expected=f"{lacking[0]} of the subject", where="curves",
        )  # fmt: skip
    if normalise == "none":
        return float(subject["mass_kg"])
    weight = -GRAVITY_LAB_M_S2[2] if normalise.startswith("weight") else 1.0
    return 1.0 / (weight * float(subject["height_m"]))
