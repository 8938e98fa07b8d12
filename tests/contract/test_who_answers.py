"""Every warning and error says in its row, not in its sentence, who in a laboratory answers it."""

from __future__ import annotations

from biomech_id.languages import LANGUAGES, WRITTEN, table

ROLES = {"technician", "physicist", "clinician"}


def test_every_warning_has_somebody_who_answers_it() -> None:
    asked = {rule: entry for rule, entry in table("en").items() if entry.get("severity") in ("warning", "error")}
    assert len(asked) > 150
    assert {rule: entry.get("answers") for rule, entry in asked.items() if entry.get("answers") not in ROLES} == {}
    assert {entry["answers"] for entry in asked.values()} == ROLES
    assert [rule for rule, entry in table("en").items() if "answers" in entry and rule not in asked] == []


def test_it_is_said_once_for_all_languages() -> None:
    for language in set(LANGUAGES) - {WRITTEN}:
        assert [rule for rule, entry in table(language).items() if "answers" in entry] == []


def test_roles_are_of_the_right_kind() -> None:
    known = {rule: entry.get("answers") for rule, entry in table("en").items()}
    examples = {"labels-missing": "technician", "plate-baseline-large": "physicist", "bandwidth-mixed": "clinician"}
    assert {rule: known[rule] for rule in examples} == examples
