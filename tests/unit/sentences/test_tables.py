"""The tables of sentences: every rule is used, and every language says it with the same values."""

from __future__ import annotations

import ast
import json
import pickle
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from biomech_id.errors import Finding, Severity
from biomech_id.languages import FOLDERS, LANGUAGES, Sentence, add_sentences, table, worded
from tests.parsed import parsed

PACKAGE = Path(__file__).resolve().parents[3] / "biomech_id"
RULES = [rule for rule in table("en") if rule != "words"]


@cache
def own(language: str) -> Mapping[str, Any]:
    """What stands in one language's own files."""
    found: dict[str, Any] = {"words": {}}
    for file in sorted((PACKAGE / "languages" / language / "sentences").glob("*.toml")):
        for rule, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
            if rule == "words":
                found["words"] |= entry
            else:
                assert rule not in found, f"{rule} stands twice"
                found[rule] = entry
    return found


def names_in(text: str, forms: Mapping[str, Any], seen: frozenset[str] = frozenset()) -> set[str]:
    """Values that a text is made with, through the forms that speak about them."""
    names: set[str] = set()
    for _, name, _, _ in Formatter().parse(text):
        form = forms.get(name or "")
        if name is None:
            continue
        if not isinstance(form, Mapping) or name in seen:
            names.add(name)
            continue
        names.add(str(form.get("of", name)))
        if "each" not in form:
            for case, words in form.items():
                names |= names_in(words, forms, seen | {name}) if case != "of" else set()
        else:
            derived = {said for said, how in forms.items() if isinstance(how, Mapping) and str(how.get("of", "")).isdigit()}
            named = {n for _, n, _, _ in Formatter().parse(form["each"]) if n is not None}
            # A part of the value, or a word derived from one.
            assert named - derived <= set("0123456789")
    return names - {form for form in names if "of" in (forms.get(form) or {}) and form in seen}


def values_of(rule: str, language: str) -> set[str]:
    entry, words = own(language)[rule], own(language)["words"]
    return set().union(*(names_in(entry.get(part, ""), {**words, **entry}) for part in ("text", "hint")))


def literals() -> Iterator[tuple[str, str]]:
    """Rules that the library's code names: (module, rule) of the first argument of every sentence and finding."""
    for module in PACKAGE.rglob("*.py"):
        for node in ast.walk(parsed(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Sentence", "Finding", "findings.add") and node.args:
                for leaf in ast.walk(node.args[0]):
                    if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str):
                        yield str(module.relative_to(PACKAGE)), leaf.value


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("language", list(LANGUAGES)[1:])
def test_every_language_says_every_rule_with_the_same_values(rule: str, language: str) -> None:
    assert rule in own(language), f"{language} has no words for {rule}"
    assert values_of(rule, language) == values_of(rule, "en")
    assert ("hint" in own(language)[rule]) == ("hint" in own("en")[rule])


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_table_speaks_of_rules_that_do_not_exist(language: str) -> None:
    assert own(language).keys() == own("en").keys()


def test_the_code_names_known_rules_and_every_rule_is_named() -> None:
    named = {rule for _, rule in literals()}
    assert named <= set(RULES), f"no words for {sorted(named - set(RULES))}"
    texts = {
        node.value
        for module in PACKAGE.rglob("*.py")
        for node in ast.walk(parsed(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(RULES) <= texts, f"nobody says {sorted(set(RULES) - texts)}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_cases_lists_and_numbers(language: str) -> None:
    gaps = [(f"M{n}", n, n + 30) for n in range(7)]
    one = Sentence("gap-long", {"n": 1, "limit_s": 0.2, "gaps": gaps[:1]}).text(language)
    many = Sentence("gap-long", {"n": 7, "limit_s": 0.2, "gaps": gaps}).text(language)
    assert {"en": "One gap is longer than 0.2 s", "de": "Eine Lücke ist länger als 0,2 s"}[language] in one
    assert "M4 4-34" in many
    assert "M5" not in many
    assert {"en": "7 gaps are", "de": "7 Lücken sind"}[language] in many


def test_a_sentence_inside_another_is_said_in_the_same_language() -> None:
    why = Sentence("other-foot-on-plate", {"side": "L", "plate": "plate 1", "time_s": 1.25})
    finding = Finding("plate-event-distrusted", {"side": "R", "kind": "Foot Off", "time_s": 1.5, "why": why}, "walk")
    assert finding.text("de").endswith("wird nicht verwendet: der linke Fuß ist auch auf Platte 1, ab 1,25 s.")
    back = json.loads(json.dumps(finding.to_dict()))
    assert worded(back["rule"], back["values"], "de") == finding.text("de")


def test_findings_cross_process_boundaries_and_compare() -> None:
    finding = Finding("trial-short", {"trial": "walk", "duration_s": 0.25}, "walk")
    assert pickle.loads(pickle.dumps(finding)) == finding
    assert len({finding, Finding("trial-short", {"trial": "walk", "duration_s": 0.25}, "walk")}) == 1
    assert (finding.severity, finding.message) == (Severity.INFO, "walk lasts 0.25 s.")


def test_a_stranger_adds_rules_and_an_unknown_rule_lists_its_values(tmp_path: Path) -> None:
    said = Sentence("shoe-loose", {"shoe": "left"})
    assert str(said) == "shoe-loose: shoe left"
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "shoes.toml").write_text('[shoe-loose]\nseverity = "error"\ntext = "The {shoe} shoe is loose."\n')
    add_sentences(tmp_path)
    try:
        assert str(said) == said.text("de") == "The left shoe is loose."
        assert Finding("shoe-loose", {"shoe": "left"}).severity is Severity.ERROR
    finally:
        FOLDERS.pop()
