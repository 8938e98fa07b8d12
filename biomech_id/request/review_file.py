"""``review.toml``: what a person decided about a session after looking at it; and the same decisions in a recipe.

One reader for both. ``[[verdict]]`` says which plate a stance is on, whatever the rules say of it; the recipe's ``stance_verdicts``
holds the same tables, or each of them as one line. Where the two mean the same stance the review counts. ``[[stance]]`` takes a
stance's kinetics away or gives them back, ``[[cycle]]`` puts a cycle into means or out of them, ``[[event]]`` moves, adds or
deletes a foot strike or foot off, a ``[[repair]]`` puts something of the recordings right, a ``[[placement]]`` says since when
markers were stuck on anew, and a ``[[comment]]`` is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from biomech_id.errors import OptionError
from biomech_id.files.settings import (
    Entry,
    ListOf,
    Section,
    Setting,
    Spot,
    a_number,
    a_text,
    a_whole_number,
    mistakes,
    must_fit,
    one_of,
    read_written,
    toml_of,
    yes_or_no,
)
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.gait.event_findings import GAIT_KINDS
from biomech_id.gait.repairs import REPAIRS, are_names, is_plate_number
from biomech_id.gait.review import Comment, CycleChoice, EventChange, Placement, Repair, Review
from biomech_id.trial import EventKind

#: What a person writes on one line: trial, side, which stance, plates.
_LINE = re.compile(
    r"\s*(?P<trial>\S.*?)\s+(?P<side>[LR])\s+(?:(?P<time>-?\d+(?:\.\d+)?)\s*s|(?P<number>\d+))\s*=\s*(?P<plates>.+?)\s*"
)
_LINES = '"TRIAL L 2 = plate 1", "TRIAL L 2.33 s = plate 1 + plate 2" or "TRIAL L 2 = none"'


def _is_plate(value: object) -> bool:
    return (
        value == "none" or is_plate_number(value) or (isinstance(value, list) and bool(value) and all(map(is_plate_number, value)))
    )


def _table(required: Iterable[str], **own: Entry) -> Section:
    """One kind of decision: about which stretch of which trial it is, what was decided, and by whom."""
    entries: dict[str, Entry] = {
        "trial": a_text("Name of the trial: its file without the suffix."),
        **own,
        "reason": a_text("Why."),
        "author": a_text("Who decided."),
    }
    return Section(entries, required=tuple(required))


_SIDE = one_of(("L", "R"), "L or R.")
_START = a_number(unit="s", explained="Strike that opens it (s): the nearest within 40 ms is meant.")
_TIME = a_number(unit="s", explained="When (s): the nearest within 40 ms is meant.")
#: A verdict on one stance.
VERDICT = _table(
    ("trial", "side", "start_s", "plate"), side=_SIDE, start_s=_START,
    plate=Setting('a plate\'s number, a list of numbers, or "none"', _is_plate, "Plate the foot is on."),
)  # fmt: skip
#: How an event may change: exactly one of these says what becomes of it.
_CHANGES = ("new_time_s", "new", "deleted")
_EVENT = _table(
    ("trial", "side", "kind", "time_s"), side=_SIDE, kind=one_of(tuple(map(str, GAIT_KINDS))), time_s=_TIME,
    new_time_s=a_number(unit="s", explained="Where it is moved to (s)."), new=yes_or_no("Whether it is added."),
    deleted=yes_or_no("Whether it is taken away."),
)  # fmt: skip
EVENT = replace(
    _EVENT,
    rules=(
        Setting(
            "moved, added or deleted",
            lambda said: sum(said.get(name) not in (None, False) for name in _CHANGES) == 1,
            said=lambda at: f"{at.start}an event needs exactly one of new_time_s, new = true and deleted = true.",
        ),
    ),
)


def _fits_kind(repair: Mapping[str, Any]) -> bool:
    """Whether a repair is about what its kind may be about; an unknown kind, and nothing at all, are refused elsewhere."""
    rule = REPAIRS.get(repair.get("kind", ""))
    return rule is None or "what" not in repair or rule.what.fits(repair["what"])


def _unlike_kind(at: Spot) -> str:
    kind, what = at.value["kind"], at.value["what"]
    return f"{at.start}the repair of {kind} is about {what!r}, not {REPAIRS[kind].what.words}."


#: Something of the recordings that is put right where they are read.
REPAIR = Section(
    {
        "kind": one_of(lambda: tuple(REPAIRS)),
        "what": Setting("a list", lambda value: isinstance(value, list), "What is put right."),
        "since": a_text("Name of the first trial that it is about; without it the first of all."),
        "trials": Setting("a list of names", are_names, "Trials that it is about; without it all."),
        "reason": a_text("Why."),
        "author": a_text("Who decided."),
    },
    required=("kind", "what"),
    rules=(Setting("what its kind is about", _fits_kind, said=_unlike_kind),),
)
#: Markers that were stuck on anew within the session.
STUCK_ANEW = Section(
    {
        "since": a_text("Name of the first trial with the markers as they are now."),
        "markers": Setting("a list of names", are_names, "Markers that were stuck on anew."),
        "static": a_text("Name of the static trial that was recorded with them."),
        "one_mean": yes_or_no("Whether trials before and after may be averaged together all the same."),
        "reason": a_text("Why."),
        "author": a_text("Who decided."),
    },
    required=("since", "markers", "static"),
)
#: What a review may say: name of each list of tables -> what one of them holds.
DECISION_TABLES: Mapping[str, Section] = {
    "verdict": VERDICT,
    "cycle": _table(("trial", "side", "start_s", "use"), side=_SIDE, start_s=_START, use=yes_or_no("Whether it enters means.")),
    "stance": _table(("trial", "side", "start_s", "use"), side=_SIDE, start_s=_START, use=yes_or_no("Whether it has kinetics.")),
    "event": EVENT,
    "comment": _table(("trial", "time_s", "text"), time_s=_TIME, text=a_text("What was noticed.")),
    "repair": REPAIR,
    "placement": STUCK_ANEW,
}
REVIEW = Section(
    {
        "schema": a_whole_number(1, 2, "Version of this layout: 2 has repairs and placements."),
        **{name: ListOf(table) for name, table in DECISION_TABLES.items()},
    },
    required=("schema",),
)


def _flaws(value: object) -> str:
    """The first mistake in one entry of ``stance_verdicts``, in words; empty for none."""
    if isinstance(value, str):
        return "" if _LINE.fullmatch(value) else f"The stance verdict {value!r} cannot be read; it must be like {_LINES}."
    if isinstance(value, StanceVerdict):
        return ""
    if not isinstance(value, Mapping):
        return f"The stance verdict {value!r} is neither a text nor a table; a text must be like {_LINES}."
    return next((sentence for sentence, *_ in mistakes(VERDICT, value, "stance_verdicts")), "")


#: What the recipe's ``stance_verdicts`` may say.
STANCE_VERDICTS = Setting(
    f"a list of {_LINES}, or of tables as in review.toml",
    lambda value: isinstance(value, list | tuple) and not any(map(_flaws, value)),
    'Overrules a verdict: "TRIAL SIDE N = plate 2" or "TRIAL SIDE N = none", N counting that side\'s stances from 1, or "2.33 s".',
    said=lambda at: (
        next(filter(None, map(_flaws, at.value))) if isinstance(at.value, list | tuple) else at.must_be("a list of texts or tables")
    ),
)


def verdict_from(verdict: str | Mapping[str, Any] | StanceVerdict) -> StanceVerdict:
    """Read one verdict set by hand: a line, or a ``[[verdict]]`` table.

    Parameters
    ----------
    verdict : str | Mapping[str, Any] | StanceVerdict
        "walk01 L 2 = plate 1", "walk01 L 2.33 s = none", or the keys of the table.

    Raises
    ------
    OptionError
        It cannot be read.

    Examples
    --------
    >>> from biomech_id.request.review_file import verdict_from
    >>> verdict_from("walk01 L 2.33 s = plate 1 + plate 2").plates
    ('plate 1', 'plate 2')
    """
    must_fit(STANCE_VERDICTS, [verdict], "stance_verdicts")
    if isinstance(verdict, StanceVerdict):
        return verdict
    if isinstance(verdict, str):
        words = cast("re.Match[str]", _LINE.fullmatch(verdict))  # it fits, as was asked above
        trial, side, plates, number, time = words.group("trial", "side", "plates", "number", "time")
        names = () if plates.lower() == "none" else tuple(name.strip() for name in plates.split("+"))
        return StanceVerdict(trial, side, names, int(number) if number else None, float(time) if time else None)
    plates = verdict["plate"] if isinstance(verdict["plate"], list) else [verdict["plate"]]
    return StanceVerdict(
        verdict["trial"], verdict["side"], () if plates == ["none"] else tuple(f"plate {number}" for number in plates),
        None, float(verdict["start_s"]), verdict.get("reason", ""), verdict.get("author", ""),
    )  # fmt: skip


def as_written(item: object) -> object:
    """Return a verdict as a recipe and a manifest hold it; anything else as it is.

    Parameters
    ----------
    item : object
        Of a list in a recipe.
    """
    if not isinstance(item, StanceVerdict):
        return dict(item) if isinstance(item, Mapping) else item
    if item.start_s is None:
        return str(item)
    numbers = [int(name.removeprefix("plate ")) for name in item.plates or ()]
    plate = "none" if not numbers else numbers[0] if len(numbers) == 1 else numbers
    table = {"trial": item.trial, "side": item.side, "start_s": item.start_s, "plate": plate}
    return table | {name: words for name in ("reason", "author") if (words := getattr(item, name))}


def read_review(path: str | Path) -> Review:
    """Read a ``review.toml``.

    Parameters
    ----------
    path : str | Path
        The TOML file with somebody's decisions.

    Raises
    ------
    OptionError
        It cannot be read, says something unknown, or says two things of one stance or cycle.
    """
    content, name = read_written(path, toml_of), Path(path).name
    must_fit(REVIEW, content, name)
    cycles = tuple(CycleChoice(**_with_float_times(table, "start_s")) for table in content.get("cycle", ()))
    verdicts = (*map(verdict_from, content.get("verdict", ())), *map(_of_stance, content.get("stance", ())))
    refuse_contradictions(verdicts, name)
    refuse_contradictions(cycles, name)
    return Review(
        verdicts,
        cycles,
        tuple(_of_event(table) for table in content.get("event", ())),
        tuple(Comment(**_with_float_times(table, "time_s")) for table in content.get("comment", ())),
        name,
        tuple(_repair(table, Path(path).parent) for table in content.get("repair", ())),
        tuple(Placement(**{**table, "markers": tuple(table["markers"])}) for table in content.get("placement", ())),
    )


def _repair(table: Mapping[str, Any], folder: Path) -> Repair:
    """A repair; the file of a static trial lies where the review does, unless it says otherwise."""
    what = [str(folder / table["what"][0])] if table["kind"] == "static" else table["what"]
    return Repair(**{**table, "what": tuple(what), "trials": tuple(table.get("trials", ()))})


def _with_float_times(table: Mapping[str, Any], *times: str) -> dict[str, Any]:
    """A table whose times are numbers with a fraction, as TOML writes some of them without."""
    return {name: float(value) if name in times else value for name, value in table.items()}


def _of_stance(table: Mapping[str, Any]) -> StanceVerdict:
    """A stance that is put in has the plates the rules see it on, one that is put out has none."""
    plates: tuple[str, ...] | None = None if table["use"] else ()
    return StanceVerdict(
        table["trial"], table["side"], plates, None, float(table["start_s"]), table.get("reason", ""), table.get("author", "")
    )


def _of_event(table: Mapping[str, Any]) -> EventChange:
    values = _with_float_times(table, "time_s", "new_time_s")
    return EventChange(**{**values, "kind": EventKind(values["kind"])})


def refuse_contradictions(decisions: Iterable[StanceVerdict | CycleChoice], where: str) -> None:
    """Refuse two decisions of one source that name the same stance or cycle alike and differ in what becomes of it.

    Parameters
    ----------
    decisions : Iterable[StanceVerdict | CycleChoice]
        Of a recipe, or of a review.
    where : str
        What messages call it.

    Raises
    ------
    OptionError
        There are two.
    """
    known: dict[tuple[str, str, str], StanceVerdict | CycleChoice] = {}
    for decision in decisions:
        which = decision.which if isinstance(decision, StanceVerdict) else f"{decision.start_s:.9g} s"
        first = known.setdefault((decision.trial, decision.side, which), decision)
        if str(first) != str(decision):
            raise OptionError(
                f"{where} says both {str(first)!r} and {str(decision)!r}.",
                value=(str(first), str(decision)), expected="one decision for each stance and cycle", where=where,
            )  # fmt: skip
