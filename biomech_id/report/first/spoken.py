"""What the first page says of straight walks, as numbers and texts: for pages that draw none of it."""

from __future__ import annotations

from collections.abc import Mapping

from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.first.patterns import artefact_words, openings, row_words
from biomech_id.report.first.trust import layer_words, trusted, unsayable_words
from biomech_id.report.layout.style import Style
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.norm import Norm
from biomech_id.session.tables.session_tables import Tables


def spoken(tables: Tables, norm: Norm | None, styles: Mapping[str, Style]) -> list[dict[str, object]]:
    """Return what is said of the straight walks of each condition, which is what the first page and ``deviations.csv`` hold.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    norm : Norm | None
        What stands behind curves and numbers.
    styles : Mapping[str, Style]
        Language -> the report's style in it.

    Returns
    -------
    list[dict[str, object]]
        Of each condition its name, ``rows`` as in ``deviations.csv``, and ``words``: language -> sentences above all others; of
        each row its sentence, warnings, and tests without one; what could not have been said; how far each layer is trusted.
    """
    norm = norm.behind("straight") if norm is not None else None
    straight = (trial["condition"] for trial in tables.summary["trials"] if trial["kind"] == "straight")
    walks = []
    for condition in dict.fromkeys(straight):
        layer = Layer(tables, "straight", condition)
        facts = SessionFacts(layer, next(iter(styles.values())), norm)
        rows = [each.row for each in facts.met]
        words = {language: _words(facts.in_style(style)) for language, style in styles.items()}
        walks.append({"condition": condition, "rows": rows, "words": words})
    return walks


def _words(facts: SessionFacts) -> dict[str, object]:
    sentences = ((row_words(facts, each), *artefact_words(facts, [each])) for each in facts.met)
    return {
        "openings": [text for text, _ in openings(facts)],
        "rows": [dict(zip(("said", "warns", "quiet"), each, strict=True)) for each in sentences],
        "unsayable": unsayable_words(facts),
        "trust": [" – ".join(filter(None, layer_words(each, facts.style))) for each in trusted(facts)],
    }
