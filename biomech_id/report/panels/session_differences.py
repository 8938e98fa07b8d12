"""What two sessions have apart besides what one wants to compare: another model, another way of computing, another person."""

from __future__ import annotations

from collections.abc import Iterator

from biomech_id.languages import WRITTEN, Sentence
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.fingerprint import FINGERPRINT, differing, fingerprint_of


def session_differences(a: Tables, b: Tables, *, letters: str = "AB", language: str = WRITTEN) -> tuple[str, ...]:
    """Return one sentence for each reason why differences of two sessions are not only those of the walking; A and B as drawn.

    Parameters
    ----------
    a : Tables
        Tables of the session that is compared with.
    b : Tables
        Tables of the session that differs from it.
    letters : str, optional
        What the two are called.
    language : str, optional
        One of `LANGUAGES`.
    """
    return tuple(sentence.text(language) for sentence in _differences(a, b, letters))


def _differences(a: Tables, b: Tables, letters: str) -> Iterator[Sentence]:
    names = {"first": letters[0], "second": letters[1]}
    for key in ("model", "kinetics"):
        of_a, of_b = a.summary.get(key), b.summary.get(key)
        if of_a != of_b:
            yield Sentence("sessions-computed", {**names, "of_first": of_a, "of_second": of_b, "key": key})
    known = [fingerprint_of(tables.summary) for tables in (a, b)]
    for key, (of_a, of_b) in differing(*known).items():
        if key not in ("model", "kinetics"):
            yield Sentence("sessions-apart", {**names, "of_first": of_a, "of_second": of_b, "key": key})
    for letter, own in zip(letters, known, strict=False):
        for key in (key for key in FINGERPRINT if key not in own):
            yield Sentence("sessions-not-told", {"name": letter, "key": key})
    for letter, tables in zip(letters, (a, b), strict=False):
        decisions = (tables.summary.get("review") or {}).get("decisions", ())
        for each in (each for each in decisions if each["decision"] == "repair"):
            what = ", ".join(map(str, each["what"]))
            yield Sentence("session-repaired", {"name": letter, "kind": each["kind"], "what": what, "author": each["author"] or ""})
    codes = [str(tables.summary.get("subject", {}).get("code") or "") for tables in (a, b)]
    if all(codes) and codes[0] != codes[1]:
        yield Sentence("sessions-of-two", {**names, "of_first": codes[0], "of_second": codes[1]})
