"""The table of `unseen_faults`: counts of its rows by origin and family, gates, and the silent faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from biomech_id import __version__

if TYPE_CHECKING:
    from benchmarks.studies.unseen_faults import Row

#: A whitened change of this much is one that the residuals show.
SHOWN = 4.0
#: What may be silent of those that leave the band, of all, of the unseen, and of those that the residuals show.
MOST_SILENT, MOST_SILENT_UNSEEN, MOST_SILENT_SHOWN = 0.22, 0.25, 0.10
#: Shares of what the diagnosis tells that must be right.
LEAST_RIGHT = {"class_first": 0.85, "cause_first": 0.75, "size_right": 0.85}
#: The prototype's share of the dictionary's faults whose residuals change by `SHOWN` and more, of those that leave the band.
LEAST_SHOWN = 0.71
COLUMNS: dict[str, Callable[[Row], bool]] = {
    "rules alone": lambda row: bool(row.rules),
    "diagnosis alone": lambda row: bool(row.diagnosis),
    "together": lambda row: not row.silent,
}


#: Rules, and classes of causes, that know kinds of this study.
LATER = frozenset(("events-late", "path-filled", "plate-holds-value"))
LATER_CLASSES = frozenset(("feet not flat",))


def _only_later(rows: Sequence[Row]) -> int:
    """How many of the unseen that leave the band are told by nothing that had not read the table."""
    return sum(
        not row.silent
        and {*filter(None, row.rules.split("; "))} <= LATER
        and (not row.diagnosis or row.first_class in LATER_CLASSES)
        for row in leaving([row for row in rows if row.origin == "unseen"])
    )


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100.0 * part / whole:.0f} %)" if whole else "-"


def _silent(rows: Sequence[Row]) -> list[str]:
    return [_share(sum(not speaks(row) for row in rows), len(rows)) for speaks in COLUMNS.values()]


def _right(rows: Sequence[Row], name: str) -> tuple[int, int]:
    """How many of how many that the diagnosis tells of are right; a fault without such an answer is not counted."""
    marks = [getattr(row, name) for row in rows if getattr(row, name)]
    return marks.count("yes"), len(marks)


def leaving(rows: Sequence[Row]) -> list[Row]:
    """Return the faults that move a curve out of its band."""
    return [row for row in rows if row.leaves]


def shown(rows: Sequence[Row]) -> list[Row]:
    """Return the faults whose residuals change by `SHOWN` and more."""
    return [row for row in rows if row.delta >= SHOWN]


def gates(rows: Sequence[Row]) -> dict[str, tuple[int, int, float, bool]]:
    """Return gate -> how many of how many, the limit, and whether it is an upper one."""
    out = leaving(rows)
    unseen, own = ([row for row in out if row.origin == origin] for origin in ("unseen", "dictionary"))
    silent = {
        "silent of all that leave the band": (out, MOST_SILENT),
        "silent of the unseen that leave the band": (unseen, MOST_SILENT_UNSEEN),
        f"silent of those with a whitened change of {SHOWN:g} and more": (shown(out), MOST_SILENT_SHOWN),
        f"silent of the unseen with a whitened change of {SHOWN:g} and more": (shown(unseen), MOST_SILENT_SHOWN),
    }
    found = {name: (sum(row.silent for row in of), len(of), limit, True) for name, (of, limit) in silent.items()}
    found[f"dictionary's that leave the band and change by {SHOWN:g} and more"] = (len(shown(own)), len(own), LEAST_SHOWN, False)
    for name, least in LEAST_RIGHT.items():
        found[f"{name.replace('_', ' ')}, of what the diagnosis tells"] = (*_right(out, name), least, False)
    return found


def is_met(part: int, whole: int, limit: float, upper: bool) -> bool:
    """Whether a gate of `gates` is met."""
    return bool(whole) and (part <= limit * whole if upper else part >= limit * whole)


def table(rows: Sequence[Row], seed: int, recordings: int) -> str:
    """The table as Markdown."""
    unseen = [row for row in rows if row.origin == "unseen"]
    lines = [
        "# Faults that the limits were not set with", "",
        f"biomech_id {__version__}, seed {seed}, {recordings} recordings of three laboratories, {len(rows)} faults: {len(unseen)} "
        f"of {len({row.kind for row in unseen})} unseen kinds, {len(rows) - len(unseen)} of the dictionary's own form. Every fault "
        "is a row of `unseen_faults.csv`.", "",
        "A fault leaves the band where a mean curve of a hip, knee or ankle, or of the pelvis, changes by more than a tenth of its "
        "range (and 3 deg, 0.1 N m/kg, 0.3 W/kg) and lies outside the 95 % band printed for the recording as it is. Rules that "
        "hold a session against outputs stored in its files count for nothing here: a laboratory's fault is in those outputs too. "
        "Causes are those that warn of somebody of whom nothing is stated. The whitened change is that of the residuals. What is "
        "right for an unseen kind is what its author wrote beside it, translated by `unseen_fault_words.py` before the first was "
        "put in: class where any word fits, very cause where the first does or a marker. A gate is over both origins unless it "
        "says which. The recordings are among those that the spread of residuals was learnt from. The diagnosis had every "
        "signature of the walk itself, and looked at the best six causes whatever their evidence.", "",
        f"The rules {', '.join(f'`{name}`' for name in sorted(LATER))} and causes of the class "
        f"{', '.join(f'`{name}`' for name in sorted(LATER_CLASSES))} were written after a first table had been read; "
        f"{_only_later(rows)} unseen faults that leave the band are told by nothing else, and would be silent without them.", "",
        "| gate | share | limit | |", "|---|---|---|---|",
    ]  # fmt: skip
    for name, (part, whole, limit, upper) in gates(rows).items():
        word = "met" if is_met(part, whole, limit, upper) else "not met"
        lines.append(f"| {name} | {_share(part, whole)} | {'at most' if upper else 'at least'} {100 * limit:.0f} % | {word} |")
    lines += ["", *_by_origin(rows), "", "## Unseen kinds by family: those that leave the band", "", *_by_family(unseen)]
    return "\n".join([*lines, "", *_listed(unseen)]) + "\n"


def _by_origin(rows: Sequence[Row]) -> Iterator[str]:
    yield f"| | faults | refused | leave the band | change by {SHOWN:g} and more | class first | very cause | size |"
    yield "|---|---|---|---|---|---|---|---|"
    for origin in ("unseen", "dictionary"):
        own = [row for row in rows if row.origin == origin]
        out = leaving(own)
        right = " | ".join(_share(*_right(out, name)) for name in LEAST_RIGHT)
        refused = sum(row.state != "" for row in own)
        yield f"| {origin} | {len(own)} | {refused} | {len(out)} | {_share(len(shown(out)), len(out))} | {right} |"
    yield ""
    yield f"| silent | {' | '.join(COLUMNS)} |"
    yield "|---|---|---|---|"
    for origin in ("unseen", "dictionary"):
        out = leaving([row for row in rows if row.origin == origin])
        yield f"| {origin}, all that leave the band | {' | '.join(_silent(out))} |"
        yield f"| {origin}, those that change by {SHOWN:g} and more | {' | '.join(_silent(shown(out)))} |"
    out = [row for row in rows if row.state]
    yield ""
    yield f"Refused or left without a mean curve: {len(out)}, of these without a word {sum(row.silent for row in out)}."
    yield ""
    yield f"| told all the same | {' | '.join(COLUMNS)} |"
    yield "|---|---|---|---|"
    inside = [row for row in rows if not row.leaves and not row.state]
    small = [row for row in inside if row.share <= 1.0 and row.delta < SHOWN]
    for name, of in (
        ("no curve leaves its band", inside),
        (f"no curve matters, and residuals change by less than {SHOWN:g}", small),
    ):
        yield f"| {name} | {' | '.join(_share(sum(speaks(row) for row in of), len(of)) for speaks in COLUMNS.values())} |"


def _by_family(rows: Sequence[Row]) -> Iterator[str]:
    silent = " | ".join(f"silent, {name}" for name in COLUMNS)
    yield f"| family | leave the band | {silent} | change by {SHOWN:g} and more | of these silent | class first |"
    yield "|---|---|---|---|---|---|---|---|"
    for family in sorted({row.family for row in rows}):
        out = leaving([row for row in rows if row.family == family])
        seen = shown(out)
        yield (
            f"| {family} | {len(out)} | {' | '.join(_silent(out))} | {len(seen)} | {sum(row.silent for row in seen)} | "
            f"{_share(*_right(out, 'class_first'))} |"
        )


def _listed(rows: Sequence[Row]) -> Iterator[str]:
    silent = sorted((row for row in leaving(rows) if row.silent), key=lambda row: -row.of_band)
    yield f"## Unseen kinds that leave the band in silence ({len(silent)})"
    yield ""
    yield "| kind | size | recording | curve | change / band | whitened change |"
    yield "|---|---|---|---|---|---|"
    for row in silent:
        yield f"| {row.kind} | {row.size} | {row.recording} | {row.curve} | {row.of_band:.1f} | {row.delta:.1f} |"
