"""Rules of gait patterns as rows of ``gait_patterns.csv``, with their sources; a laboratory's own file replaces or adds rows."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from biomech_id.errors import FileRefusedError, OptionError
from biomech_id.files.text import read_problem, read_text
from biomech_id.interpretation.criteria import Criterion, RuleTerm, parse_criterion, parse_term
from biomech_id.values import dataclass

#: The rules that are shipped.
SHIPPED_PATTERNS = Path(__file__).with_name("gait_patterns.csv")
#: What could make a pattern without it being there, by the ids of ``deviations.csv``.
ARTEFACTS = (
    "knee-axis", "constant-shift", "pelvis-markers", "foot-offset", "speed", "events", "plates", "few-cycles", "static-knee",
    "leg-length", "not-straight", "aid", "footwear", "norm-age",
)  # fmt: skip
_PLANES = ("sagittal", "coronal", "transverse", "-")
_STATUS = ("page", "class", "page only where the knee axis is sound")
#: At most so many characters fit where a pattern's short name stands.
MOST_SHORT = 24


@dataclass(frozen=True)
class PatternRule:
    """One row of the rules.

    Attributes
    ----------
    pattern : str
        Id of the pattern, as in ``deviations.csv``.
    names : Mapping[str, str]
        Language -> what it is, in words.
    short : Mapping[str, str]
        Language -> the pattern's name.
    joint, plane, phase : str
        Where and when it is.
    criterion : Criterion
        When it is met.
    shown : RuleTerm
        Whose value and norm are printed.
    covers : tuple[str, ...]
        Patterns that it makes needless on the same side.
    artefacts : tuple[str, ...]
        What could make it without being there, of `ARTEFACTS`.
    is_class : bool
        Whether it is a sagittal class, which is said of certain patients only.
    tested : bool
        Whether a positive case of it is known; without one it stays in the appendix.
    source, reading : str
        Where it comes from, and how what the source leaves open was read.
    """

    pattern: str
    names: Mapping[str, str]
    short: Mapping[str, str]
    joint: str
    plane: str
    phase: str
    criterion: Criterion
    shown: RuleTerm
    covers: tuple[str, ...]
    artefacts: tuple[str, ...]
    is_class: bool
    tested: bool
    source: str
    reading: str

    @property
    def in_sagittal_plane(self) -> bool:
        """Whether a turned knee axis leaves it nearly as it is; numbers of the whole walk count as such."""
        return self.plane in ("sagittal", "-")


@dataclass(frozen=True)
class PatternRules:
    """Rules in the order of their file.

    Attributes
    ----------
    rows : tuple[PatternRule, ...]
        One rule for each pattern.
    version : str
        First digits of the SHA-256 of the files they come from.
    """

    rows: tuple[PatternRule, ...]
    version: str

    def __getitem__(self, pattern: str) -> PatternRule:
        """Return the rule of one pattern."""
        return next(rule for rule in self.rows if rule.pattern == pattern)


@cache
def shipped_rules() -> PatternRules:
    """Return the rules that are shipped."""
    return _read(SHIPPED_PATTERNS)


def pattern_rules(own: Path | str | None = None) -> PatternRules:
    """Return the rules, with those of a laboratory's own file: a row replaces the shipped one of its id, or is added.

    Parameters
    ----------
    own : Path | str | None, optional
        The laboratory's file; None for the shipped rules alone.

    Raises
    ------
    FileRefusedError
        The file cannot be read, or lacks a column.
    OptionError
        A row cannot be understood; names file, pattern and word.
    """
    shipped = shipped_rules()
    if not own:
        return shipped
    theirs = _read(Path(own))
    rows = {rule.pattern: rule for rule in (*shipped.rows, *theirs.rows)}
    return PatternRules(tuple(rows.values()), f"{shipped.version}+{theirs.version}")


_COLUMNS = (
    "pattern", "name_en", "name_de", "short_en", "short_de", "joint", "plane", "phase", "criterion", "shown", "covers", "artefacts",
    "status", "source", "reading", "tested",
)  # fmt: skip


def _read(path: Path) -> PatternRules:
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        words = f"The rules {path} cannot be read: {read_problem(error)}."
        raise FileRefusedError.at(path, words, "a file of rules like gait_patterns.csv") from error
    table = csv.DictReader(text.splitlines())
    lacking = [name for name in _COLUMNS if name not in (table.fieldnames or ())]
    if lacking:
        words = f"The rules {path.name} lack the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)}."
        raise FileRefusedError.at(path, words, ", ".join(_COLUMNS))
    rows = tuple(_rule(row, f"{path.name}, row {table.line_num}") for row in table)
    names = [rule.pattern for rule in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None or not rows:
        words = f"has the pattern {twice} twice" if twice else "has no row"
        raise FileRefusedError.at(path, f"The rules {path.name}: the file {words}.", "each pattern once")
    return PatternRules(rows, hashlib.sha256(text.encode("utf-8")).hexdigest()[:8])


def _rule(row: Mapping[str, str], place: str) -> PatternRule:
    where = f"{place}, {row['pattern']}"
    allowed = {"plane": _PLANES, "status": _STATUS, "tested": ("yes", "no")}
    for column, words in allowed.items():
        _one_of(row[column], words, f"{where}, {column}")
    artefacts = tuple((row["artefacts"] or "").split())
    for artefact in artefacts:
        _one_of(artefact, ARTEFACTS, f"{where}, artefacts")
    for column in ("short_en", "short_de"):
        if not 0 < len(row[column] or "") <= MOST_SHORT:
            raise OptionError(
                f"{where}: {column} is {row[column]!r}; it takes 1 to {MOST_SHORT} characters.",
                value=row[column], expected=f"1 to {MOST_SHORT} characters", where=where,
            )  # fmt: skip
    return PatternRule(
        pattern=row["pattern"],
        names={"en": row["name_en"], "de": row["name_de"]},
        short={"en": row["short_en"], "de": row["short_de"]},
        joint=row["joint"], plane=row["plane"], phase=row["phase"],
        criterion=parse_criterion(row["criterion"], where=f"{where}, criterion"),
        shown=parse_term(row["shown"], where=f"{where}, shown"),
        covers=tuple((row["covers"] or "").split()),
        artefacts=artefacts,
        is_class=row["status"] == "class",
        tested=row["tested"] == "yes",
        source=row["source"], reading=row["reading"] or "",
    )  # fmt: skip


def _one_of(word: str, known: tuple[str, ...], where: str) -> None:
    if word not in known:
        raise OptionError(f"{where}: {word!r} is none of {', '.join(known)}.", value=word, expected=", ".join(known), where=where)
