"""What every sentence claims, checked a second way: one registry, rule -> the check of its claim.

A check is a function of `Said` that says whether the claim is true, computed from the raw recording (`raw_c3d` shares nothing with
the library) or from the written tables, never by the function that made the sentence. To add one, write beside those of
`claims_of_files.py` or `claims_of_sessions.py`::

    @claim("gap-long", n=plus(1))
    def longest_gap(said: Said) -> bool:
        \"\"\"Counts the stretches in which a marker is unseen, in the points as stored.\"\"\"
        return ...

The keywords are lies: values of the sentence and what makes them false; the check must say no to each. A sentence without numbers
takes ``elsewhere=True``: the check must say no to some other recording of which the sentence is not said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raw_c3d import Raw, raw
from sessions import Computed, Sessions

from biomech_id.languages import Sentence
from biomech_id.session.solved import Solved


@dataclass(frozen=True)
class Said:
    """One sentence: its rule and values, and what it is about.

    Attributes
    ----------
    rule, values, text
        The sentence.
    path : Path | None
        The recording it speaks of.
    session, trial
        Where it was said; None for what `check` says of a file.
    about : object
        The stance, cycle or quality row it belongs to, where it belongs to one.
    """

    rule: str
    values: Mapping[str, Any]
    text: str = ""
    path: Path | None = None
    session: Computed | None = None
    trial: Solved | None = None
    about: Any = None
    sessions: Sessions | None = field(default=None, repr=False, compare=False)

    @property
    def raw(self) -> Raw:
        assert self.path is not None
        return raw(self.path)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


Check = Callable[[Said], bool]
Lie = Callable[[Any], Any]


@dataclass(frozen=True)
class Claim:
    """The check of a rule, and how it is seen to fail."""

    check: Check
    lies: Mapping[str, Lie]
    elsewhere: bool


#: Rule -> its check.
CHECKS: dict[str, Claim] = {}


def claim(*rules: str, elsewhere: bool = False, **lies: Lie) -> Callable[[Check], Check]:
    """Register the check of some rules."""
    assert lies or elsewhere, "a check that cannot be seen to fail"

    def register(check: Check) -> Check:
        for rule in rules:
            assert rule not in CHECKS, rule
            CHECKS[rule] = Claim(check, lies, elsewhere)
        return check

    return register


def plus(number: float) -> Lie:
    return lambda value: value + number


def instead(value: Any) -> Lie:
    return lambda _: value


def sentence(value: Any) -> Sentence:
    """A sentence inside a sentence, as it was or as JSON holds it."""
    return value if isinstance(value, Sentence) else Sentence(value["rule"], value["values"])


def said_of_files(sessions: Sessions) -> Iterator[Said]:
    """Everything that `check` says of each recording."""
    for name, report in sessions.checked_files().items():
        for finding in report["findings"]:
            yield Said(finding["rule"], finding["values"], finding["message"], sessions.shared / name, sessions=sessions)


def said_of_sessions(sessions: Sessions) -> Iterator[Said]:
    """Every finding, reason, grade and headline of each session, and each refusal."""
    for session in sessions.values():
        yield from said_of(session, sessions)


def said_of(session: Computed, sessions: Sessions) -> Iterator[Said]:
    shared = sessions.shared
    if not session.ran:
        yield Said("refusal", {"text": session.refusal}, session.refusal, session=session, sessions=sessions)
        return
    line = session.said["stdout"].strip().splitlines()[-1]
    yield Said("headline", {"text": line.partition("out: ")[2]}, line, session=session, sessions=sessions)
    yield Said("complaints", {"lines": session.said["stderr"].splitlines()}, "", session=session, sessions=sessions)
    result = session.result
    for finding in result.findings:
        yield Said(finding.rule, finding.values, finding.message, None, session, sessions=sessions)
    for trial in result.trials:
        path = recording(shared, session, trial.file)

        def about(sentence: Sentence, thing: Any = None, trial: Solved = trial, path: Path = path) -> Said:
            return Said(sentence.rule, sentence.values, str(sentence), path, session, trial, thing, sessions)

        yield from (about(finding) for finding in trial.findings)
        yield from (about(stance.reason, stance) for stance in (trial.assignment.stances if trial.assignment else ()))
        yield from (about(reason, cycle) for cycle in trial.cycles for reason in cycle.reasons)
        for row in trial.quality:
            values = {"value": row.value, "verdict": str(row.verdict), "limit": row.limit}
            yield Said(f"quality:{row.rule}", values, f"{row.rule} {row.value:.4g}", path, session, trial, row, sessions)


def recording(shared: Path, session: Computed, file: str) -> Path:
    """Where a recording of a session lies."""
    for given in session.said["words"][1:]:
        path = Path(given)
        for candidate in (path / file, path):
            if candidate.name == file and candidate.is_file() and shared in candidate.parents:
                return candidate
    raise FileNotFoundError(file)
