"""Which muscle and side a channel's label means, in many laboratories' spellings and six languages.

A label is the weakest evidence. In this order: what the user's recipe says; the label; its description where that says more; the
neighbours in the same file; otherwise nothing, and the channel keeps its own label. No side is ever guessed.

A spelling of ``tables/spellings.csv`` may be shortened: where it has several words each may be cut (``rect fem``, ``glut max``,
``Tib A``), also run together (``TibA``), and two letters of one may be exchanged (``vats lat``). A single word is not completed:
its short forms are in the table, or it is left to the recipe. Where a label has several meanings (``GM``, ``Biceps``) the
neighbours decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from biomech_id.emg.muscles import MUSCLES, is_part_of, read_rows
from biomech_id.emg.words import SIDE_INITIALS, SIDES_WRITTEN, WORDS, words_of
from biomech_id.values import dataclass

#: Muscles with heads that a single letter tells apart: MGAST, LHAMS.
_HEADED: dict[str, dict[str, str]] = {
    "gastrocnemius": {"m": "gastrocnemius_medialis", "l": "gastrocnemius_lateralis"},
    "hamstrings": {"m": "hamstrings_medial", "l": "hamstrings_lateral"},
}
_HEAD_LETTERS = ("l", "m")
#: A shortened word of a spelling of several words has at least this many letters.
_SHORTEST_CUT = 3
#: A word with as many may have a letter wrong.
_LONG = 6
#: So many French spellings make a file French, where GRF is the grand fessier.
_FRENCH_ENOUGH = 2
#: Beside a muscle in the table of spellings: these letters are used for something else as well.
SOMETHING_ELSE = "?"
#: Regions whose muscles are near one another.
_LEG = frozenset({"hip", "thigh", "shank"})


@dataclass(frozen=True)
class NamedMuscle:
    """What a channel is called.

    Attributes
    ----------
    muscle : str
        Name in `MUSCLES`, or "" where nobody says.
    side : str
        "L" or "R"; "" where nobody says.
    source : str
        What said so: "recipe", "label", "description", "neighbours" or "".
    """

    muscle: str = ""
    side: str = ""
    source: str = ""


@dataclass(frozen=True)
class _Reading:
    """One way to read a label: the muscles it may mean, the side, and how the side is written."""

    muscles: frozenset[str]
    side: str = ""
    how: str = "words"  # "glued" in front, "behind", "initial"; "head" is a letter that may be a head instead of a side


def name_channels(labels: Sequence[str], descriptions: Sequence[str] = ()) -> tuple[NamedMuscle, ...]:
    """Return muscle and side of every channel of one file.

    Parameters
    ----------
    labels : Sequence[str]
        Of all channels that may be a muscle's, in file order: they decide together what none can alone.
    descriptions : Sequence[str], optional
        One for each label, in the same order, or none.

    Returns
    -------
    tuple[NamedMuscle, ...]
        As many as labels; empty fields where nobody says.
    """
    padded = (*descriptions, *[""] * len(labels))[: len(labels)]
    readings = [_readings(words_of(label)) for label in labels]
    described = [_readings(words_of(text)) for text in padded]
    numbered = _numbered(labels)
    file = _File(readings, described, [*labels, *padded])
    return tuple(NamedMuscle() if number else file.named(index) for index, number in zip(range(len(labels)), numbered, strict=True))


def _numbered(labels: Sequence[str]) -> list[bool]:
    """Which labels are a device's inputs by number (MG-1, MG-2, ...): the same words and another number."""
    parts = [
        (tuple(w for w in words_of(label) if not w.isdigit()), tuple(w for w in words_of(label) if w.isdigit())) for label in labels
    ]
    numbers: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for words, count in parts:
        numbers.setdefault(words, set()).add(count)
    return [bool(count) and len(numbers[words]) > 2 for words, count in parts]


class _File:
    """What the channels of a file say together."""

    def __init__(self, readings: list[list[_Reading]], described: list[list[_Reading]], texts: Iterable[str]) -> None:
        self.readings, self.described = readings, described
        words = [word for text in texts for word in words_of(text)]
        self.french = sum(any(stem in word for stem in WORDS["french"]) for word in words) >= _FRENCH_ENOUGH
        self.gg = {"g", "d"} <= set(words)
        self.known = Counter(
            muscle for candidates in (*readings, *described) for muscle in _certain(candidates) if muscle in MUSCLES
        )
        #: Whether other labels have their side run together with the muscle, and nothing else to mean.
        self.glued = any(len(candidates) == 1 and candidates[0].how == "glued" for candidates in readings)
        self.pairs = Counter(
            (tuple(sorted(reading.muscles)), reading.side, reading.how) for candidates in readings for reading in candidates
        )  # fmt: skip

    def named(self, index: int) -> NamedMuscle:
        label, description = self._decided(self.readings[index]), self._decided(self.described[index])
        side = label.side or description.side
        if description.muscle and (not label.muscle or _says_more(description.muscle, label.muscle, self.readings[index])):
            return NamedMuscle(description.muscle, side, "description")
        if label.muscle:
            return NamedMuscle(label.muscle, side, label.source)
        return NamedMuscle()

    def _decided(self, candidates: list[_Reading]) -> NamedMuscle:
        """Muscle and side of one text, where it and its neighbours leave one."""
        usable = [reading for reading in candidates if reading.how != "initial" or self.gg]
        if not usable:
            return NamedMuscle()
        reading = usable[0] if len(usable) == 1 else self._likeliest(usable)
        if reading is None:
            return NamedMuscle()
        if len(reading.muscles) == 1:
            return NamedMuscle(next(iter(reading.muscles)), reading.side, "label" if len(usable) == 1 else "neighbours")
        muscle = self._by_neighbours(reading.muscles, reading.side)
        return NamedMuscle(muscle, reading.side, "neighbours") if muscle else NamedMuscle()

    def _likeliest(self, candidates: list[_Reading]) -> _Reading | None:
        """Of a letter that may be a side or a head (LGAST): what the same letter's counterparts are in this file."""
        for reading in candidates:
            if reading.how in ("glued", "behind", "words") and reading.side:
                other = "R" if reading.side == "L" else "L"
                if any(self.pairs[tuple(sorted(reading.muscles)), other, how] for how in (reading.how, "words")):
                    return reading
        heads = [reading for reading in candidates if reading.how == "head"]
        if heads:
            sides = [reading for reading in candidates if reading.side]
            medial = {head for heads_of in _HEADED.values() for head in heads_of.values()} - heads[0].muscles
            as_head = any(self.pairs[(muscle,), "", "head"] for muscle in medial if muscle.endswith(("medialis", "medial")))
            as_side = bool(sides) and self.glued
            return None if as_head is as_side else heads[0] if as_head else sides[0]
        plain = [reading for reading in candidates if reading.how == "words"]
        return plain[0] if len(plain) == 1 else None

    def _by_neighbours(self, muscles: frozenset[str], side: str) -> str:
        """The one of several muscles that fits the others of the file, or nothing."""
        if SOMETHING_ELSE in muscles:
            (muscle,) = muscles - {SOMETHING_ELSE}
            return muscle if self._meant(muscle, side) else ""
        leg, upper = (sum(n for m, n in self.known.items() if (MUSCLES[m].region in _LEG) is wanted) for wanted in (True, False))
        left = {m for m in muscles if (MUSCLES[m].region in _LEG) is (leg > upper)} if leg != upper else set(muscles)
        calf = {m for m in left if m.startswith("gastrocnemius")}
        if calf and len(left) > 1:
            left = self._calf_or_gluteus(left, calf)
        # Two heads of one muscle are not told apart by their neighbours.
        return next(iter(left)) if len(left) == 1 else ""

    def _meant(self, muscle: str, side: str) -> bool:
        """Whether letters that mean a muscle in some laboratories only do so here."""
        if muscle == "gluteus_maximus":
            return self.french  # GRF: grand fessier, or ground reaction force
        if muscle == "hamstrings_lateral":
            return bool(side) or "hamstrings_medial" in self.known  # LH: L may be the side
        return any(MUSCLES[known].region == MUSCLES[muscle].region for known in self.known)

    def _calf_or_gluteus(self, muscles: set[str], calf: set[str]) -> set[str]:
        """GM and GL: gastrocnemius where the gluteus is called otherwise, or where the shank is recorded and no other calf."""
        known = set(self.known)
        gluteal = any(muscle.startswith("gluteus") for muscle in known)
        calves = any(muscle.startswith("gastrocnemius") for muscle in known)
        shank = any(MUSCLES[muscle].region == "shank" for muscle in known)
        if gluteal != calves:
            return calf if gluteal else muscles - calf
        return calf if shank and not gluteal else muscles


def _certain(readings: list[_Reading]) -> frozenset[str]:
    """The muscle of a text with one reading and one muscle."""
    return readings[0].muscles if len(readings) == 1 and len(readings[0].muscles) == 1 else frozenset()


def _says_more(described: str, labelled: str, readings: list[_Reading]) -> bool:
    """Whether a description names one of the muscles that the label leaves open."""
    return is_part_of(described, labelled) or any(described in reading.muscles and len(reading.muscles) > 1 for reading in readings)


def _readings(words: tuple[str, ...]) -> list[_Reading]:
    """Every way to read the words of one label."""
    words = tuple(word for word in words if not word.isdigit())
    if not words:
        return []
    whole = [_Reading(muscles)] if (muscles := _muscles(words)) else []
    in_front, behind = _sided(words[0], words[1:]), _sided(words[-1], words[:-1])
    if in_front and words[0] in SIDES_WRITTEN and not (whole and len(words[0]) > 1):
        return in_front
    if whole and words[-1][-1] in _HEAD_LETTERS and (behind or _ends_in_head(words, whole[0].muscles)):
        # Gas L, GASL: the letter behind may be a head.
        return [_Reading(whole[0].muscles, "", "head"), *(behind or _run_together(words))]
    return whole if whole and behind else [*in_front, *behind][:1] or whole or _glued(words)


def _ends_in_head(words: tuple[str, ...], muscles: frozenset[str]) -> bool:
    """Whether the last letter makes one of two heads out of a muscle that has them."""
    last = words[-1]
    rest = _muscles((*words[:-1], *((last[:-1],) if len(last) > 1 else ())))
    return len(rest) == 1 and any(is_part_of(muscle, next(iter(rest))) for muscle in muscles)


def _run_together(words: tuple[str, ...]) -> list[_Reading]:
    """A side run together with the end of the last word: RFL."""
    last = words[-1]
    muscles = _muscles((*words[:-1], last[:-1])) if len(last) > 2 and last[-1] in "lr" else frozenset()
    return [_Reading(muscles, last[-1].upper(), "behind")] if muscles else []


def _sided(side_word: str, rest: tuple[str, ...]) -> list[_Reading]:
    side = SIDES_WRITTEN.get(side_word) or SIDE_INITIALS.get(side_word, "")
    muscles = _muscles(rest) if side and rest else frozenset()
    return [_Reading(muscles, side, "words" if side_word in SIDES_WRITTEN else "initial")] if muscles else []


def _glued(words: tuple[str, ...]) -> list[_Reading]:
    """A letter run together with the muscle: in front a side or a head (LTIB, MGAST), behind a side (RFL)."""
    first = words[0]
    rest = _muscles((first[1:], *words[1:])) if len(first) > 2 else frozenset()
    heads = [_HEADED[muscle][first[0]] for muscle in rest & set(_HEADED) if first[0] in _HEADED[muscle]]
    readings = [_Reading(frozenset({head}), "", "head") for head in heads]
    if rest and first[0] in "lr":
        readings.append(_Reading(rest, first[0].upper(), "glued"))
    if rest and first[0] == "m" and not readings:
        readings.append(_Reading(rest))  # M. soleus
    return readings or _run_together(words)


@cache
def _spellings() -> tuple[dict[str, frozenset[str]], tuple[tuple[tuple[str, ...], frozenset[str]], ...]]:
    """Run-together spelling -> muscles, and the spellings of several words with theirs."""
    whole: dict[str, set[str]] = {}
    phrases: dict[tuple[str, ...], set[str]] = {}
    for row in read_rows("spellings"):
        for spelling in row["spellings"].split("|"):
            muscles = row["muscle"].split()
            whole.setdefault(spelling.replace(" ", ""), set()).update(muscles)
            if " " in spelling:
                phrases.setdefault(tuple(spelling.split()), set()).update(muscles)
    return {k: frozenset(v) for k, v in whole.items()}, tuple((k, frozenset(v)) for k, v in phrases.items())


@cache
def _muscles(words: tuple[str, ...]) -> frozenset[str]:
    """Muscles that words without a side may mean; none where they mean nothing."""
    whole, phrases = _spellings()
    exact = whole.get("".join(words))
    if exact:
        return exact
    if len(words) > 1 and words[0] == "m":
        return _muscles(words[1:])
    matches: set[str] = set()
    for phrase, muscles in phrases:
        if len(phrase) == len(words) and _covers(words, phrase):
            matches |= muscles
    if not matches and len(words) == 1:
        (word,) = words
        pairs = [(word[:cut], word[cut:]) for cut in range(_SHORTEST_CUT, len(word))]
        for phrase, muscles in phrases:
            if len(phrase) == 2 and any(_shortens(a, phrase[0]) and _shortens(b, phrase[1]) for a, b in pairs):
                matches |= muscles
    if not matches and len(words) == 1 and len(words[0]) >= _LONG:
        matches = {m for spelling, muscles in whole.items() if _misspelt(words[0], spelling) for m in muscles}
    return frozenset(matches)


def _covers(words: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    """Whether each word shortens another word of the phrase, in any order, and one of them more than a letter."""
    left = list(phrase)
    for word in sorted(words, key=len, reverse=True):
        match = next((meant for meant in left if _shortens(word, meant)), None)
        if match is None:
            return False
        left.remove(match)
    return any(len(word) >= _SHORTEST_CUT for word in words)


def _shortens(word: str, meant: str) -> bool:
    """Whether a word is the beginning of another, two letters exchanged at most; of a qualifier one letter is enough."""
    if meant.startswith(word):
        return len(word) >= _SHORTEST_CUT or (len(word) == 1 and meant in WORDS["qualifier"]) or word == meant
    if len(word) <= _SHORTEST_CUT:
        return False
    start = meant[: len(word)]
    return any(start == word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1))


def _misspelt(word: str, meant: str) -> bool:
    """Whether one letter of a long word is wrong, missing or too many; the first is right, or it could be a side."""
    if word[0] != meant[0] or len(meant) < _LONG or abs(len(word) - len(meant)) > 1:
        return False
    short, long = sorted((word, meant), key=len)
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[at + 1 :] == long[at + 1 :] if len(short) == len(long) else short[at:] == long[at + 1 :]


def parse_named(text: str) -> NamedMuscle | None:
    """Return what a recipe says of a channel.

    Parameters
    ----------
    text : str
        Side, if there is one, and name or code of the muscle.

    Returns
    -------
    NamedMuscle | None
        None where the text names no muscle.

    Examples
    --------
    >>> from biomech_id.emg.names import parse_named
    >>> parse_named("R rectus_femoris")
    NamedMuscle(muscle='rectus_femoris', side='R', source='recipe')
    """
    match = re.fullmatch(r"\s*(?:([LR])\s+)?(\w+)\s*", text)
    if not match:
        return None
    side, name = match[1] or "", match[2]
    if name not in MUSCLES:
        name = next((muscle.name for muscle in MUSCLES.values() if muscle.code == name.upper()), "")
    return NamedMuscle(name, side, "recipe") if name else None
