"""What two sessions have apart besides what one wants to compare: another model, another way of computing, another person."""

from __future__ import annotations

from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.fingerprint import FINGERPRINT, differing, fingerprint_of, without_fingerprint


def session_differences(a: Tables, b: Tables, *, letters: str = "AB") -> tuple[str, ...]:
    """Return one sentence for each reason why differences of two sessions are not only those of the walking; A and B as drawn.

    Parameters
    ----------
    a : Tables
        The first session.
    b : Tables
        The second session.
    letters : str, optional
        What the two are called.
    """
    sentences = []
    first, second = letters[0], letters[1]
    for word, key in (("model", "model"), ("kinetics", "kinetics")):
        of_a, of_b = a.summary.get(key), b.summary.get(key)
        if of_a != of_b:
            apart = f"{first} was computed with the {of_a} {word}, {second} with {of_b}"
            sentences.append(f"{apart}: their differences are also those of the {word}.")
    known = [fingerprint_of(tables.summary) for tables in (a, b)]
    for key, (of_a, of_b) in differing(*known).items():
        if key not in ("model", "kinetics"):
            words = FINGERPRINT[key]
            sentences.append(
                f"The {words} of {first} is {of_a}, of {second} {of_b}: their differences are also those of the {words}."
            )
    sentences += filter(
        None, (without_fingerprint(letter, fingerprint) for letter, fingerprint in zip(letters, known, strict=True))
    )
    sentences += filter(None, (_repairs(letter, tables) for letter, tables in zip(letters, (a, b), strict=False)))
    codes = [_code(tables) for tables in (a, b)]
    if all(codes) and codes[0] != codes[1]:
        sentences.append(f"{first} is of {codes[0]}, {second} of {codes[1]}: two persons.")
    return tuple(sentences)


def _repairs(letter: str, tables: Tables) -> str:
    """What somebody put right in a session's recordings, and who; empty for nothing."""
    decisions = (tables.summary.get("review") or {}).get("decisions", ())
    made = [
        f"{each['kind']} {', '.join(map(str, each['what']))}" + (f" by {each['author']}" if each["author"] else "")
        for each in decisions
        if each["decision"] == "repair"
    ]
    return f"The recordings of {letter} were repaired by hand: {'; '.join(made)}." if made else ""


def _code(tables: Tables) -> str:
    return str(tables.summary.get("subject", {}).get("code") or "")
