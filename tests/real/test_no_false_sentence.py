"""False sentences: none. Every sentence about every recording is checked a second way, and every check is seen to fail on a lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import claims_of_feet
import claims_of_files
import claims_of_laboratories
import claims_of_sessions
import pytest
from claims import CHECKS, Said, said_of_files, said_of_sessions
from sessions import Sessions

from biomech_id import analyse, virtual_subject
from biomech_id.sample.c3d import write_c3d

#: Importing them registers their checks.
MODULES = (claims_of_files, claims_of_sessions, claims_of_laboratories, claims_of_feet)
#: Other recordings that a check of a sentence without numbers is asked about.
ELSEWHERE = 12


@pytest.fixture(scope="module")
def everything(sessions: Sessions) -> dict[str, list[Said]]:
    """Rule -> everything said by it, once for each recording and value."""
    found: dict[str, dict[str, Said]] = {}
    for said in (*said_of_files(sessions), *said_of_sessions(sessions)):
        key = f"{said.path} {said.session and said.session.name} {said.about!r} {said.values!r}"
        found.setdefault(said.rule, {}).setdefault(key, said)
    return {rule: list(said.values()) for rule, said in found.items()}


def holds(said: Said) -> bool:
    return bool(CHECKS[said.rule].check(said))


def fails(said: Said) -> bool:
    """Whether the check sees a lie; what is nowhere in the recording cannot be true either."""
    try:
        return not holds(said)
    except (KeyError, IndexError, StopIteration, FileNotFoundError, ValueError, AssertionError, TypeError, ZeroDivisionError):
        return True


def test_every_rule_that_is_said_has_a_check(everything: dict[str, list[Said]]) -> None:
    assert {rule: said[0].text for rule, said in everything.items() if rule not in CHECKS} == {}


def test_no_sentence_is_false(everything: dict[str, list[Said]]) -> None:
    false = []
    for rule, sentences in everything.items():
        if rule in CHECKS:
            false += [f"{rule} of {said.path or said.session}: {said.text}" for said in sentences if not holds(said)]
    assert len(everything) > 40
    assert false == []


def test_every_check_sees_a_lie(everything: dict[str, list[Said]], sessions: Sessions) -> None:
    blind = []
    for rule, sentences in everything.items():
        if rule not in CHECKS:
            continue
        check = CHECKS[rule]
        for name, lie in check.lies.items():
            told = [said for said in sentences if name in said.values]
            if not any(fails(replace(said, values={**said.values, name: lie(said.values[name])})) for said in told):
                blind.append(f"{rule}: {name}")
        if check.elsewhere and not any(fails(said) for said in elsewhere(sentences, sessions)):
            blind.append(f"{rule}: elsewhere")
    assert blind == []


def elsewhere(sentences: list[Said], sessions: Sessions) -> Iterable[Said]:
    """The same sentence about recordings of which it was not said."""
    said_of = {said.path for said in sentences}
    paths = (sessions.shared / name for name in sessions.checked_files())
    others = [path for path in paths if path not in said_of and path.stat().st_size]
    # Of every laboratory some.
    return (replace(sentences[0], path=path) for path in others[:: max(1, len(others) // ELSEWHERE)])


def test_what_no_recording_shows_is_checked_on_the_virtual_subject(tmp_path: Path) -> None:
    """Nobody in the recordings jumps off a plate and lands on one: the sentence about landings holds, its lies do not."""
    person = virtual_subject(analog_ratio=5)
    write_c3d(person.static(), tmp_path / "static.c3d")
    path = write_c3d(person.jump(landing_depth_m=0.55), tmp_path / "jump.c3d")
    (trial,) = analyse(tmp_path, uncertainty=False, budget=False).tables().summary["trials"]
    (found,) = (finding for finding in trial["findings"] if finding["rule"] == "jump-landed-otherwise")
    said = Said(found["rule"], found["values"], found["message"], path)
    assert holds(said)
    lies = CHECKS[said.rule].lies.items()
    assert [name for name, lie in lies if not fails(replace(said, values={**said.values, name: lie(said[name])}))] == []


def test_a_check_that_nothing_can_fail_is_not_accepted() -> None:
    from claims import claim

    with pytest.raises(AssertionError, match="cannot be seen to fail"):
        claim("nonsense")
