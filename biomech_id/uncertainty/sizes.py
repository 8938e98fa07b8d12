"""How large the errors behind joint moments are assumed to be: one row each, with where the number comes from.

Every size is one standard deviation, of a bias unless its kind says "noise". A laboratory that knows its own numbers says so in the
recipe: ``error_sizes = ["hip_centre_mm = 6"]``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, cast

from biomech_id.dynamics.model_errors import DAVIS_ERROR, HIP_ERROR
from biomech_id.errors import OptionError, did_you_mean
from biomech_id.values import dataclass


@dataclass(frozen=True)
class ErrorSize:
    """The assumed size of one error.

    Attributes
    ----------
    name : str
        Name with its unit, "hip_centre_mm".
    value : float
        One standard deviation; of a place along each axis, of a turn about each axis named.
    source : str
        The column of ``uncertainty.csv`` that it counts to.
    kind : Literal["bias", "noise"]
        "bias" for one draw in all frames, "noise" for one in each.
    what : str
        What may be wrong, for tables.
    why : str
        The measurement, paper or argument behind the number.
    """

    name: str
    value: float
    source: str
    kind: Literal["bias", "noise"]
    what: str
    why: str


def _tabled() -> Iterator[ErrorSize]:
    """The rows of ``sizes.csv``; ways of markers are forward, up and to the side on the segment of an upright person."""
    with Path(__file__).with_name("sizes.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            kind = cast("Literal['bias', 'noise']", row["kind"])
            yield ErrorSize(row["name"], float(row["value"]), row["source"], kind, row["what"], row["why"])


#: Every error, how large one standard deviation of it is taken to be, and where that comes from.
ERROR_SIZES: tuple[ErrorSize, ...] = (
    ErrorSize(DAVIS_ERROR.size, DAVIS_ERROR.sd_mm, "hip_centre", "bias",
              "hip centre by the conventional model's regression, about its mean error", DAVIS_ERROR.why),
    ErrorSize(HIP_ERROR.size, HIP_ERROR.sd_mm, "hip_centre", "bias", "hip centre by another regression or a functional method",
              HIP_ERROR.why),
    *_tabled(),
)  # fmt: skip


def error_sizes(changes: Iterable[str] = ()) -> Mapping[str, float]:
    """Return the sizes of all errors, some of them changed.

    Parameters
    ----------
    changes : Iterable[str], optional
        As recipes have them, "hip_centre_mm = 6"; of two changes of one size the last counts.

    Returns
    -------
    Mapping[str, float]
        Name -> one standard deviation, of every row of `ERROR_SIZES`.

    Raises
    ------
    OptionError
        A name that is none of them, or a size that is no number of at least zero.
    """
    sizes = {row.name: row.value for row in ERROR_SIZES}
    for change in changes:
        name, _, text = (part.strip() for part in change.partition("="))
        if name not in sizes:
            raise OptionError(
                f"There is no error called {name!r} to give the size of.{did_you_mean(name, sizes)}",
                value=change, expected=" | ".join(sizes), where="error_sizes",
            )  # fmt: skip
        sizes[name] = _size(name, text)
    return sizes


def _size(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0.0 <= value < float("inf"):
        raise OptionError(
            f"The size of the error {name} is {text!r}; it must be a number of at least 0.",
            value=text, expected="a number of at least 0", where="error_sizes",
        )  # fmt: skip
    return value
