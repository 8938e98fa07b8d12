"""Words by which a person could be known, and how they are found in whatever is written.

A name is stored in many ways: ``MUELLER^ANNA``, ``Anna_Müller_walk01``, ``annamueller``. What is looked for are its parts: runs of
three letters or more, whatever their case and however their marks are composed. A word that this program says by itself (``walk``,
``hip``) tells nothing about anybody, and would be found everywhere: such words are the vetted vocabulary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from biomech_id.values import dataclass

#: Fewer letters occur by chance inside other words.
SHORTEST_WORD = 3
_RUN = re.compile(r"[^\W\d_]+")
#: Letters of Latin writing that no mark makes: they do not end a word.
_SMALL = "a-zßøæœłđıþðŋħŧ"
_PIECES = re.compile(rf"[A-Z]+(?![{_SMALL}])|[A-Z]?[{_SMALL}]+|[^\W\d_A-Z{_SMALL}]+")
_LONG_TEXT = re.compile(r'"""[\s\S]*?"""')
_LITERAL = re.compile(r'"([^"\n]*)"')
#: Rooms that say nothing in results: examples and help name people.
_SILENT = ("sample", "cli", "vendor", "page")
_SPOKEN = (".toml", ".csv", ".json", ".mplstyle", ".py")
#: Short words with a capital that are no initials; TR is of a report's number among the sources.
_UNITS_AND_AXES = frozenset(("A", "Hz", "I", "J", "L", "N", "Nm", "PC", "R", "SD", "TR", "W", "X", "Y", "Z"))
#: Three numbers with one mark between them, or six digits and more.
_LIKE_A_DAY = re.compile(r"(?<![\d.])\d{1,4}([-./ ])\d{1,2}\1\d{1,4}(?!\d)|(?<![\d.])\d{6,}")
#: How German is written where there are no umlauts.
_WRITTEN_OUT = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe", "Ø": "Oe", "å": "aa", "Å": "Aa"}
)


def folded(text: str) -> str:
    r"""Return a text without marks, in lower case; letters stay one for one as far as they can.

    Parameters
    ----------
    text : str
        Any text, in any script.

    Returns
    -------
    str
        Lower case, without accents and other marks.

    Examples
    --------
    >>> from biomech_id.privacy.name_words import folded
    >>> folded("MU\u0308LLER Groß")
    'muller gross'
    """
    if text.isascii():
        return text.lower()
    return _without_marks(text).casefold()


def _without_marks(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text) if unicodedata.category(each)[0] != "M")


@cache
def _run_with_marks() -> re.Pattern[str]:
    """A run of letters with the marks that stand in it: vowels of Indian scripts are marks, and no accent."""
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M")
    return re.compile(rf"[^\W\d_](?:[^\W\d_]|[{marks}])*")


def _tells_enough(word: str) -> bool:
    """Whether a word is long enough; in scripts without capitals two letters are a name."""
    return len(word) >= SHORTEST_WORD or (len(word) == SHORTEST_WORD - 1 and not word.isascii() and word.upper() == word.lower())


def runs_of(text: str) -> Iterator[str]:
    """Yield every run of letters of a text, without marks and in its own case, and where words are run together their pieces.

    Parameters
    ----------
    text : str
        Any text, in any script.

    Yields
    ------
    Iterator[str]
        Each run once, and behind it the pieces of one like "VonHerzen".
    """
    plain = text if text.isascii() else _without_marks(text)
    for run in dict.fromkeys(_RUN.findall(plain)):
        yield run
        pieces = _PIECES.findall(run)
        if len(pieces) > 1:
            yield from pieces


def written_out(text: str) -> str:
    """Return a text with umlauts written as German writes them where there are none.

    Parameters
    ----------
    text : str
        A composed text: "Müller" becomes "Mueller".
    """
    return text.translate(_WRITTEN_OUT)


def words_of_name(text: str) -> frozenset[str]:
    """Return the words of a stored name, a file's or a folder's, folded; of umlauts both ways to write them.

    Parameters
    ----------
    text : str
        A person's name, or the name of a file or folder.

    Returns
    -------
    frozenset[str]
        Folded words that are long enough to tell something.

    Examples
    --------
    >>> from biomech_id.privacy.name_words import words_of_name
    >>> sorted(words_of_name("Müller_Al_7"))
    ['mueller', 'muller']
    """
    composed = unicodedata.normalize("NFC", text)
    ways = {composed, written_out(composed)}
    words = {folded(run) for way in ways for run in runs_of(way)}
    return frozenset(filter(_tells_enough, words))


@cache
def _own_texts() -> tuple[str, ...]:
    """Texts of this package: every one in quotation marks of its code, and its tables whole."""
    texts: list[str] = []
    for file in _spoken(resources.files("biomech_id")):
        text = file.read_text(encoding="utf-8")
        texts += _LITERAL.findall(_LONG_TEXT.sub("", text)) if file.name.endswith(".py") else [text]
    return tuple(texts)


@cache
def vetted_words() -> frozenset[str]:
    """Return every word that this program itself may write: of its tables, sentences, labels and texts.

    Returns
    -------
    frozenset[str]
        Folded words of the package's own files.
    """
    return frozenset(folded(run) for run in runs_of("\n".join(_own_texts())) if len(run) >= SHORTEST_WORD)


@cache
def vetted_texts() -> frozenset[str]:
    """Return every text that stands in quotation marks in this program, as it stands there.

    Returns
    -------
    frozenset[str]
        "trunk", "not measured", "N m/kg".
    """
    return frozenset(_own_texts())


@cache
def _vetted_short_words() -> frozenset[str]:
    """Short words: of this program's sentences where they begin small, and units and axes; not initials."""
    runs = (run for text in _own_texts() if " " in text for run in _RUN.findall(text) if len(run) < SHORTEST_WORD)
    return frozenset(run for run in runs if run[0].islower()) | _UNITS_AND_AXES


def all_vetted(text: str) -> bool:
    """Whether every word of a text is one that this program says by itself, and no number in it is long enough to be a day.

    Parameters
    ----------
    text : str
        Any text.

    Examples
    --------
    >>> from biomech_id.privacy.name_words import all_vetted
    >>> [all_vetted(text) for text in ("left knee, 12 mm", "seen by A. M.", "born 2014-03-05", "Anneliese")]
    [True, False, False, False]
    """
    if text in vetted_texts():
        return True
    runs = _RUN.findall(text if text.isascii() else _without_marks(text))
    vetted = all(_is_vetted(run) or all(map(_is_vetted, _PIECES.findall(run))) for run in runs)
    return vetted and not _LIKE_A_DAY.search(text)


def _is_vetted(run: str) -> bool:
    return run in _vetted_short_words() if len(run) < SHORTEST_WORD else folded(run) in vetted_words()


def _spoken(folder: Traversable) -> Iterator[Traversable]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir() and each.name not in _SILENT:
            yield from _spoken(each)
        elif each.is_file() and each.name.endswith(_SPOKEN):
            yield each


@dataclass(frozen=True)
class NameWords:
    """Words of a person's names.

    Attributes
    ----------
    kinds : tuple[tuple[str, str], ...], optional
        (word, folded; what it is a part of: "stored name", "file's name", "folder's name").
    """

    kinds: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, named: Iterable[tuple[str, str]], *, without: str = "") -> NameWords:
        """Return the words of some names that this program does not say by itself.

        Parameters
        ----------
        named : Iterable[tuple[str, str]]
            (name, what kind of name it is).
        without : str, optional
            A text whose words are free: the code.

        Returns
        -------
        NameWords
            Words that are neither vetted nor in ``without``, each with the kind of name that it was first seen in.
        """
        free = vetted_words() | words_of_name(without)
        kinds: dict[str, str] = {}
        for name, kind in named:
            for word in words_of_name(name) - free:
                kinds.setdefault(word, kind)
        return cls(tuple(sorted(kinds.items())))

    def kind_in(self, run: str) -> str:
        """Return what kind of name a run of letters shows; empty where it shows none.

        It does where it is such a word, holds a long one, or is made of nothing but such words and vetted ones.

        Parameters
        ----------
        run : str
            A run of letters, as `runs_of` yields it.

        Returns
        -------
        str
            Kind of the name, "" where it shows none.

        Examples
        --------
        >>> from biomech_id.privacy.name_words import NameWords
        >>> words = NameWords.of([("Anna Lee", "stored name")])
        >>> [words.kind_in(run) for run in ("ANNA", "leeanna", "annawalk", "fleet", "channel")]
        ['stored name', 'stored name', 'stored name', '', '']
        """
        text = folded(run)
        inside = [(word, kind) for word, kind in self.kinds if word in text]
        for word, kind in inside:
            if text == word or len(word) > 5 or _made_of(text, frozenset(word for word, _ in inside)):
                return kind
        return ""

    def first_in(self, text: str) -> str:
        """Return what kind of name a text shows first; empty where it shows none.

        Parameters
        ----------
        text : str
            The text that is searched for names.

        Returns
        -------
        str
            Kind of the name, "" where it shows none.
        """
        if not self.kinds:
            return ""
        return next((kind for run in runs_of(text) if _tells_enough(run) and (kind := self.kind_in(run))), "")

    def replaced(self, text: str, code: str) -> str:
        """Return a text with a code in place of every run of letters that shows a name.

        Parameters
        ----------
        text : str
            The text that may show names.
        code : str
            What takes its place.

        Returns
        -------
        str
            The text itself where it shows no name.
        """
        composed = unicodedata.normalize("NFC", text)
        if not self.first_in(composed):
            return text
        return _run_with_marks().sub(lambda match: self._without(match[0], code), composed)

    def _without(self, run: str, code: str) -> str:
        if self.kind_in(run):
            return code
        pieces = _PIECES.findall(run)
        # What is left of AnnaLHEE, run together, cannot be told: all of it goes.
        return code if any(self.kind_in(piece) for piece in pieces) else run


def _made_of(text: str, names: frozenset[str]) -> bool:
    """Whether a text is a chain of names and vetted words with at least one name."""
    vetted = vetted_words()
    # Ends of chains that have been reached, without and with a name in them.
    reached = {(0, False)}
    for start in range(len(text)):
        for held in [held for at, held in reached if at == start]:
            for end in range(start + SHORTEST_WORD, len(text) + 1):
                piece = text[start:end]
                if piece in names or piece in vetted:
                    reached.add((end, held or piece in names))
    return (len(text), True) in reached
