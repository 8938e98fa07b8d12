"""Markers under names that no marker set has: known labels with something around them, words of several languages, places.

A laboratory may write a subject's name or a number before each label, or call its markers in its own language. Whatever is read out
of labels has to agree with where the markers of a standing subject are (`markersets.standing`); what does not is not believed.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.markersets.detect import propose
from biomech_id.markersets.marker_set import MarkerKey, MarkerSet
from biomech_id.markersets.standing import StandingMarkers, paired_roles_by_place, roles_by_place
from biomech_id.values import dataclass, replace

#: Points that a recording must show, on every side it shows: of a group one.
CORE: tuple[tuple[str, ...], ...] = (
    ("asis",), ("psis", "sacrum"), ("lateral_epicondyle",), ("lateral_malleolus",), ("heel",),
    ("toe", "metatarsal_2", "metatarsal_1", "metatarsal_5"),
)  # fmt: skip
#: Fewer of a set's required markers than this are no match under other names: one marker of a leg's eight may be missing.
LEAST_SHARE = 0.8
#: As many points named by words are enough where places in a static trial show the others.
SPOKEN_SHARE = 0.5
#: What so many labels begin with is no part of their names.
COMMON_SHARE = 0.6
_DIGITS = {"1": "metatarsal_1", "2": "metatarsal_2", "5": "metatarsal_5"}
#: Letters that do not fall apart into one of the alphabet's and an accent.
_PLAIN = str.maketrans({"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "æ": "ae", "đ": "d"})
#: Nothing, a number before a label, a number or a star behind it.
_NUMBERS = (r"(?!)", r"^[#*]*\d+[\W_]*", r"[\W_]*(?:\d+|[*#+]+)$")
_HINGES = {"knee": "epicondyle", "ankle": "malleolus"}
_SPINES = {"front": "asis", "back": "psis"}
_SINGLE = {"heel": "heel", "toe": "toe", "asis": "asis", "psis": "psis", "sacrum": "sacrum"}


@dataclass(frozen=True)
class Recognition:
    """What the markers of a recording lie on, though no marker set has their names.

    Attributes
    ----------
    markerset : MarkerSet
        With the recording's own labels.
    how : str
        "wrapping" (a known label with something around it), "words" or "places".
    certainty : float
        0 to 1: share of the points needed that were found, by places times how much nearer they lie than to any other point.
    """

    markerset: MarkerSet
    how: str
    certainty: float


def recognise(labels: Collection[str], place_m: Mapping[str, FloatArray], *, standing: bool = True) -> Recognition | None:
    """Recognise what markers lie on whose labels no marker set knows.

    Parameters
    ----------
    labels : Collection[str]
        Labels of the markers that are seen.
    place_m : Mapping[str, FloatArray]
        Label -> (3,), its mean place, metres, laboratory axes with Z up (see `standing.mean_places_m`).
    standing : bool, optional
        Whether the subject stands still in the recording: only then do places alone decide anything.

    Returns
    -------
    Recognition | None
        By a known label with something around it, by words, or by places, in this order; None where none is certain.
    """
    body = StandingMarkers(dict(place_m))
    for reading in (without_wrapping(labels), _by_words(labels, body if standing else None)):
        if reading is not None and not body.contradiction(reading.markerset.roles):
            return reading
    placed = roles_by_place(body) if standing else None
    return None if placed is None else Recognition(set_of_roles(placed.roles, labels, "places"), "places", placed.certainty)


# A known label with something around it.


def without_wrapping(labels: Collection[str]) -> Recognition | None:
    """Find the marker set whose labels these are once what all of them carry is taken off.

    Parameters
    ----------
    labels : Collection[str]
        Labels of the markers that are seen.

    Returns
    -------
    Recognition | None
        With the recording's own labels; None where no set has enough of its required markers.

    Examples
    --------
    >>> from biomech_id.markersets.recognise import without_wrapping
    >>> from biomech_id.markersets import load_markerset
    >>> labels = [f"Anna:{label}*" for label in load_markerset("plug-in-gait").required]
    >>> recognition = without_wrapping(labels)
    >>> recognition and recognition.markerset.roles["L", "heel"]
    'Anna:LHEE*'
    """
    best: tuple[float, int, MarkerSet] | None = None
    for strip in _wrappings(tuple(labels)):
        bare = {strip(label): label for label in labels}
        if len(bare) < len(labels):
            continue  # two markers would have one name
        nearest = propose(list(bare))[0]
        if nearest.share >= LEAST_SHARE and (best is None or (nearest.share, nearest.found) > best[:2]):
            named = {meant: bare[label] for label, meant in nearest.markerset.matches(bare).items()}
            best = (nearest.share, nearest.found, relabelled(nearest.markerset, named))
    return None if best is None else Recognition(best[2], "wrapping", best[0])


def _heads(labels: Collection[str]) -> Counter[str]:
    """What labels begin with, up to each sign that parts words."""
    return Counter(label[: match.end()] for label in labels for match in re.finditer(r"[:_.\s|/-]", label))


def _tails(labels: Collection[str]) -> Counter[str]:
    """What labels end with, from each sign that parts words: Pose2Sim's augmented markers are OpenCap's, with "_study" behind."""
    return Counter(label[match.start() :] for label in labels for match in re.finditer(r"[:_\s|/-](?=[^:_\s|/-]{2,}$)", label))


def _wrappings(labels: tuple[str, ...]) -> Iterator[Callable[[str], str]]:
    """Ways to take off what all labels carry: numbers, stars, a common beginning, a side written behind instead of before."""
    heads = _heads(labels)
    for head, n in heads.most_common(3):
        if n >= COMMON_SHARE * len(labels):
            yield lambda label, head=head: label.removeprefix(head)  # type: ignore[misc]
    for tail, n in _tails(labels).most_common(1):
        if n >= COMMON_SHARE * len(labels):
            yield lambda label, tail=tail: label.removesuffix(tail)  # type: ignore[misc]
    _, before, after = _NUMBERS
    for pattern in (before, after, f"{before}|{after}", r"^(?:mrk|mkr|marker|trk|m)[\W_]*", r"[\W_]*(?:mrk|mkr|marker|trk|pos)$"):
        yield lambda label, pattern=pattern: re.sub(pattern, "", label, flags=re.IGNORECASE)  # type: ignore[misc]
    for both in (before, after):
        for head, n in heads.most_common(2):
            if n >= COMMON_SHARE * len(labels):
                yield lambda label, head=head, both=both: re.sub(both, "", label.removeprefix(head))  # type: ignore[misc]
    yield lambda label: re.sub(r"^(.+?)[\W_]*([LR])$", r"\2\1", label, flags=re.IGNORECASE)


def relabelled(markerset: MarkerSet, named: Mapping[str, str]) -> MarkerSet:
    """Put a marker set under other labels.

    Parameters
    ----------
    markerset : MarkerSet
        The set with its own labels.
    named : Mapping[str, str]
        Label of the set -> the recording's.

    Returns
    -------
    MarkerSet
        Labels that have no other keep their own; without aliases and twins.
    """

    def other(label: str) -> str:
        return named.get(label, label)

    def points(landmarks: Mapping[MarkerKey, str]) -> Mapping[MarkerKey, str]:
        return MappingProxyType({key: other(label) for key, label in landmarks.items()})

    tracking = {key: tuple(map(other, cluster)) for key, cluster in markerset.tracking.items()}
    weights = {other(label): weight for label, weight in markerset.weights.items()}
    return replace(
        markerset,
        landmarks=points(markerset.landmarks), extra_landmarks=points(markerset.extra_landmarks),
        tracking=MappingProxyType(tracking), weights=MappingProxyType(weights),
        optional=frozenset(map(other, markerset.optional)), static_only=frozenset(map(other, markerset.static_only)),
        aliases=MappingProxyType({}), twins=(), recognised=True,
    )  # fmt: skip


# Words.


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


@cache
def _vocabulary() -> dict[str, frozenset[tuple[str, str]]]:
    """Word -> what it may say: ("side", "L"), ("part", "knee"), ("which", "medial"), ("", "")."""
    table, vocabulary = _words(), dict[str, frozenset[tuple[str, str]]]()
    kinds = (
        ("side", table["sides"]),
        ("part", table["parts"]),
        ("which", table["qualifiers"]),
        ("", {"": table["fillers"]["any"]}),
    )
    for kind, values in kinds:
        for value, spellings in values.items():
            for word in spellings:
                vocabulary[word] = vocabulary.get(word, frozenset()) | {(kind, value)}
    return vocabulary


def _tokens(label: str) -> tuple[str, ...]:
    """The label's words: accents off, cut at signs, at capitals within it and at digits."""
    text = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])", " ", label)
    text = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    text = "".join(sign for sign in text if not unicodedata.combining(sign)).lower()
    return tuple(re.findall(r"[a-z]+|\d+", text))


def _readings(label: str, letters: tuple[str, str]) -> set[MarkerKey]:
    """What a label says: (side, role), or (side, "thigh 3") of a cluster; several where it can be read in several ways."""
    readings: set[MarkerKey] = set()
    tokens = _tokens(label)
    apart = [[("side", SIDES[letters.index(token)])] for token in tokens if token in letters]
    rest = "".join(token for token in tokens if token not in letters)
    spread = [(*apart[0], *words) for words in _into_words(rest)] if len(apart) == 1 else []
    for each in (*_segmented("".join(tokens), letters), *spread):
        sides, parts, which = ({value for kind, value in each if kind == wanted} for wanted in ("side", "part", "which"))
        digits = [value for kind, value in each if kind == "digit"]
        if len(parts) == 1 and max(len(sides), len(which), len(digits)) < 2:
            role = _role(parts.pop(), which, digits)
            if role and bool(sides) is (role != "sacrum"):
                readings.add((sides.pop() if sides else "", role))
    phrase = _phrase(tokens, letters)
    return {phrase} if phrase else readings


def _phrase(tokens: tuple[str, ...], letters: tuple[str, str]) -> MarkerKey | None:
    sides = {side: {*words, letter} for (side, words), letter in zip(_words()["sides"].items(), letters, strict=True)}
    for role, phrases in _words()["parts_in_words"].items():
        for phrase in phrases:
            rest = [token for token in tokens if token not in phrase]
            if len(rest) == 1 and len(tokens) == len(phrase) + 1:
                for side, words in sides.items():
                    if rest[0] in words:
                        return side, role
    return None


def _segmented(text: str, letters: tuple[str, str]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Every way in which a text falls into known words, with a letter for the side at one of its ends."""
    for letter, rest in ((text[:1], text[1:]), (text[-1:], text[:-1])):
        if letter in letters:
            yield from ((("side", SIDES[letters.index(letter)]), *words) for words in _into_words(rest))
    yield from _into_words(text)


@cache
def _into_words(text: str) -> tuple[tuple[tuple[str, str], ...], ...]:
    if not text:
        return ((),)
    if text[0].isdigit():
        number = re.match(r"\d+", text)[0]  # type: ignore[index]
        return tuple((("digit", number), *rest) for rest in _into_words(text[len(number) :]))
    known = _vocabulary()
    readings: list[tuple[tuple[str, str], ...]] = []
    for n in range(min(len(text), 16), 0, -1):
        for meaning in known.get(text[:n], ()):
            readings += [(meaning, *rest) for rest in _into_words(text[n:])]
    return tuple(readings)


def _role(part: str, which: set[str], digits: list[str]) -> str:
    if part == "spine":
        return _SPINES.get("".join(which), "") if not digits else ""
    if part == "heel" and which == {"back"}:
        which = set()
    if part in _HINGES and not digits and which <= {"lateral", "medial"}:
        return f"{(which or {'lateral'}).copy().pop()}_{_HINGES[part]}"
    if part == "metatarsal" and digits and not which:
        return _DIGITS.get(digits[0], "")
    if part in ("thigh", "shank"):
        return f"{part} {''.join((*sorted(which), *digits))}".strip() if digits or which else f"{part}_wand"
    return _SINGLE.get(part, "") if not which and not digits else ""


def spoken_roles(labels: Collection[str]) -> dict[MarkerKey, str]:
    """Return the points that labels name in words, however few, for somebody to look over.

    Parameters
    ----------
    labels : Collection[str]
        Labels of the recording's markers.

    Returns
    -------
    dict[MarkerKey, str]
        (side, role) -> label; "thigh 3" is a further marker of a segment. Empty where no label says anything.
    """
    return max((roles for _, roles, *_ in _spoken(labels)), key=lambda roles: (core_share(roles), len(roles)), default={})


def _spoken(labels: Collection[str]) -> Iterator[tuple[set[str], dict[MarkerKey, str], dict[str, str], tuple[str, str]]]:
    """For each way to read the labels: points said twice, the others, texts that say none, and its letters of the sides."""
    heads = [head for head, n in _heads(labels).most_common(2) if n >= COMMON_SHARE * len(labels)]
    for head, number, letters in product(["", *heads], _NUMBERS, _words()["letters"]["pairs"]):
        bare = {label: re.sub(number, "", label.removeprefix(head)) for label in labels}
        read = {label: _readings(text, tuple(letters)) for label, text in bare.items()}
        clear = {label: next(iter(keys)) for label, keys in read.items() if len(keys) == 1}
        twice = {key for key, n in Counter(clear.values()).items() if n > 1}
        roles = {key: label for label, key in clear.items() if key not in twice}
        yield {role for _, role in twice}, roles, {k: text for k, text in bare.items() if k not in clear}, tuple(letters)


def _by_words(labels: Collection[str], body: StandingMarkers | None) -> Recognition | None:
    """The points that labels name in words; where that is half of them, places in a static trial show the rest, pair by pair."""
    best: tuple[float, int, dict[MarkerKey, str]] | None = None
    pairs: list[dict[str, str]] = []
    core = {role for group in CORE for role in group}
    for twice, roles, others, letters in _spoken(labels):
        share = core_share(roles)
        enough = share >= (LEAST_SHARE if body is None else SPOKEN_SHARE)
        if enough and not core & twice and (best is None or (share, len(roles)) > best[:2]):
            best = (share, len(roles), roles)
            pairs = _pairs(others, letters)
    if best is None:
        return None
    share, _, roles = best
    if body is not None:
        roles |= paired_roles_by_place(body, roles, pairs)
        share = core_share(roles)
    return Recognition(set_of_roles(roles, labels, "words"), "words", share) if share >= LEAST_SHARE else None


def _pairs(texts: Mapping[str, str], letters: tuple[str, str]) -> list[dict[str, str]]:
    """Side -> label of every two labels that say the same but for their sides, whatever it is that they say."""
    by_rest: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for label, text in texts.items():
        tokens = _tokens(text)
        for side, words, letter in zip(SIDES, _words()["sides"].values(), letters, strict=True):
            rests = [(*tokens[:at], *tokens[at + 1 :]) for at, token in enumerate(tokens) if token in (*words, letter)]
            if len(tokens) == 1 and tokens[0][:1] == letter:
                rests.append((tokens[0][1:],))
            for rest in rests:
                by_rest.setdefault(rest, []).append((side, label))
    return [dict(sided) for sided in by_rest.values() if sorted(side for side, _ in sided) == sorted(SIDES)]


def core_share(roles: Iterable[MarkerKey]) -> float:
    """Share of the points that a recording must show (`CORE`), of both legs.

    Parameters
    ----------
    roles : Iterable[MarkerKey]
        (side, role) of what was recognised.

    Returns
    -------
    float
        0 to 1; of a group of alternatives one is enough.
    """
    known = set(roles)
    shown = [not known.isdisjoint((where, name) for name in group for where in (side, "")) for side in SIDES for group in CORE]
    return sum(shown) / len(shown)


def set_of_roles(roles: Mapping[MarkerKey, str], labels: Collection[str], how: str) -> MarkerSet:
    """Return a marker set of its own from points and clusters by their labels in the recording.

    Parameters
    ----------
    roles : Mapping[MarkerKey, str]
        (side, role) -> label; "thigh 3" is a further marker of a segment.
    labels : Collection[str]
        Labels of the recording's markers.
    how : str
        By what they were recognised.
    """
    landmarks = {key: label for key, label in roles.items() if " " not in key[1]}
    segments = {
        "thigh": ("thigh_wand", "lateral_epicondyle", "medial_epicondyle"),
        "shank": ("shank_wand", "lateral_malleolus", "medial_malleolus"),
        "foot": ("heel", "toe", "metatarsal_1", "metatarsal_2", "metatarsal_5"),
    }
    pelvis = [("L", "asis"), ("R", "asis"), ("L", "psis"), ("R", "psis"), ("", "sacrum")]
    tracking: dict[MarkerKey, tuple[str, ...]] = {("", "pelvis"): tuple(roles[key] for key in pelvis if key in roles)}
    for side in SIDES:
        for segment, points in segments.items():
            cluster = [label for key, label in roles.items() if key[0] == side and key[1].startswith(f"{segment} ")]
            tracking[side, segment] = (*(roles[side, point] for point in points if (side, point) in roles), *cluster)
    medial = frozenset(label for key, label in landmarks.items() if key[1].startswith("medial"))
    return MarkerSet(
        name=f"recognised by {how}", title="markers that no known marker set names", source="",
        models=("conventional", "six-dof"),
        landmarks=MappingProxyType(landmarks), tracking=MappingProxyType(tracking),
        static_only=medial, optional=medial, recognised=True,
    )  # fmt: skip
