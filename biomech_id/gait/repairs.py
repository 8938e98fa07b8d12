"""What of a recording may be put right by hand: one row a kind, what it may be about, what it does, and what it leaves doubtful.

Kinds without a function are put right where recordings are chosen (`pipeline.repairs`). A kind from outside is added to `REPAIRS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

from biomech_id.arguments import a_word, holds
from biomech_id.errors import OptionError, did_you_mean
from biomech_id.files.settings import Setting, is_number
from biomech_id.gait.review import Repair
from biomech_id.plugins import Registry
from biomech_id.trial import Trial
from biomech_id.trial.plates import PLATE_PARTS, mirrored_plate
from biomech_id.values import dataclass, replace


@holds(doubts=a_word(("markers", "plates", "channels")))
@dataclass(frozen=True)
class RepairKind:
    """One kind of repair.

    Attributes
    ----------
    what : Setting
        What ``what`` of a ``[[repair]]`` may be.
    put_right : Callable[[Trial, Repair], Trial] | None, optional
        A recording as read, without the fault; None where recordings are chosen otherwise.
    doubts : str, optional
        What is at best usable with limits then: "markers", "plates" or "channels".
    """

    what: Setting
    put_right: Callable[[Trial, Repair], Trial] | None = None
    doubts: str = "markers"


def are_names(value: object) -> TypeGuard[list[str]]:
    """Whether a value is a list of texts, none of them empty.

    Parameters
    ----------
    value : object
        Any value of a parsed file.
    """
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) and each for each in value)


def _two_names(value: object) -> bool:
    return are_names(value) and len(value) == len(set(value)) == 2


def _one_name(value: object) -> bool:
    return are_names(value) and len(value) == 1


def is_plate_number(value: object) -> bool:
    """Whether a value is a whole number from 1 on.

    Parameters
    ----------
    value : object
        Any value of a parsed file.
    """
    return is_number(value) and isinstance(value, int) and value >= 1


def _mirrored_plate(value: object) -> bool:
    if not (isinstance(value, list) and len(value) in (2, 3)):
        return False
    number, axis, *parts = value
    return is_plate_number(number) and axis in ("x", "y") and all(part in PLATE_PARTS for part in parts)


def _labels(trial: Trial, repair: Repair) -> Trial:
    """Two markers, each with the other's path."""
    one, other = (_index(repair, str(name), trial.markers.names, trial) for name in repair.what)
    order = _exchanged(len(trial.markers.names), one, other)
    filled = trial.markers.filled
    markers = trial.markers.with_positions(trial.markers.position_m[:, order], filled=None if filled is None else filled[:, order])
    return replace(trial, markers=markers)


def _channels(trial: Trial, repair: Repair) -> Trial:
    """Two analog channels, each with the other's numbers; what plates measured was computed from theirs already."""
    analog = trial.analog
    one, other = (_index(repair, str(name), analog.names, trial) for name in repair.what)
    if analog.plates and (analog.plates[one] or analog.plates[other]):
        raise OptionError(
            f"The {repair} names channels of a force plate; a plate is put right by a repair of kind plate.",
            value=list(repair.what), expected="channels of no plate", where=trial.name,
        )  # fmt: skip
    order = _exchanged(len(analog.names), one, other)
    scale, offset = (None if each is None else each[order] for each in (analog.scale, analog.offset))
    return replace(trial, analog=replace(analog, stored=analog.stored[:, order], scale=scale, offset=offset))


def _plate(trial: Trial, repair: Repair) -> Trial:
    """One plate mirrored along an axis of its own."""
    numbers = list(map(str, range(1, len(trial.plates) + 1)))
    at = _index(repair, str(repair.what[0]), numbers, trial)
    turned = mirrored_plate(trial.plates[at], *map(str, repair.what[1:]))
    return replace(trial, plates=(*trial.plates[:at], turned, *trial.plates[at + 1 :]))


def _exchanged(n: int, one: int, other: int) -> list[int]:
    order = list(range(n))
    order[one], order[other] = other, one
    return order


def _index(repair: Repair, name: str, names: Sequence[str], trial: Trial) -> int:
    if name not in names:
        refuse_repair(repair, name, names, trial.name)
    return list(names).index(name)


def refuse_repair(repair: Repair, name: str, names: Sequence[str], where: str) -> None:
    """Refuse a repair of something that is not there.

    Parameters
    ----------
    repair : Repair
        As somebody wrote it.
    name : str
        What it names.
    names : Sequence[str]
        What there is.
    where : str
        The trial, or "the session".

    Raises
    ------
    OptionError
        Always.
    """
    raise OptionError(
        f"The {repair} names {name}, which {where} does not have.{did_you_mean(name, names)}",
        value=name, expected=", ".join(names), where=where,
    )  # fmt: skip


#: Kind of a repair, as ``review.toml`` calls it.
REPAIRS: Registry[str, RepairKind] = Registry("kind of repair", {
    "labels": RepairKind(Setting("two labels of markers", _two_names), _labels),
    "plate": RepairKind(
        Setting(
            'a plate\'s number and the axis along which it is mirrored, [2, "x"], and "force" or "force and moment" behind it '
            "where the pressure stays",
            _mirrored_plate,
        ),
        _plate, "plates",
    ),
    "channels": RepairKind(Setting("two names of channels", _two_names), _channels, "channels"),
    "static": RepairKind(Setting("the file of one static trial", _one_name)),
    "copy": RepairKind(Setting("names of trials that are copies and count", are_names)),
})  # fmt: skip
