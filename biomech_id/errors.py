"""What can go wrong, said so that a person can act on it.

Every exception of this package carries three things besides its sentence: the offending ``value``, what was ``expected``,
and ``where`` (the file, trial, plate or option it concerns).  ``tests/test_errors.py`` reads every ``raise`` in the package
and checks that all three are passed.

A `Finding` is the gentler sibling: something noticed that does not stop the work.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Self

from biomech_id.languages import Sentence, table, worded
from biomech_id.values import dataclass

#: Whether who reads the sentences typed a command, and knows options where others know arguments.
_ON_COMMAND_LINE: ContextVar[bool] = ContextVar("on_command_line", default=False)
#: Arguments whose option is not called like them.
_OPTIONS = {"mass_kg": "--mass", "subject_file": "--subject"}


@contextmanager
def on_command_line() -> Iterator[None]:
    """Speak of options, ``--mass``, until the end of the block; of arguments, ``mass_kg``, otherwise.

    Yields
    ------
    None
        Sentences name options within the block.
    """
    token = _ON_COMMAND_LINE.set(True)
    try:
        yield
    finally:
        _ON_COMMAND_LINE.reset(token)


def option(argument: str) -> str:
    """Name an argument of the main job as its user knows it.

    Parameters
    ----------
    argument : str
        Its name in Python.

    Returns
    -------
    str
        ``mass_kg``, or on the command line ``--mass``.

    Examples
    --------
    >>> from biomech_id.errors import on_command_line, option
    >>> option("mass_kg")
    'mass_kg'
    >>> with on_command_line():
    ...     option("mass_kg")
    '--mass'
    """
    if not _ON_COMMAND_LINE.get():
        return argument
    return _OPTIONS.get(argument, f"--{argument.replace('_', '-')}")


def some_of(names: Sequence[str], most: int) -> str:
    """Names as a message lists them: the first ones, and how many more there are.

    Parameters
    ----------
    names : Sequence[str]
        Any number of them.
    most : int
        How many are listed.

    Examples
    --------
    >>> from biomech_id.errors import some_of
    >>> some_of(["hip", "knee", "ankle"], 2)
    'hip, knee and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def typed(word: object, *, windows: bool = os.name == "nt") -> str:
    """Write a name or path as it is typed in a command.

    Parameters
    ----------
    word : object
        A name or path.
    windows : bool, optional
        Whether it is typed on Windows; default is the system that runs.

    Returns
    -------
    str
        In quotes where a shell would take it for more than one word.

    Examples
    --------
    >>> from biomech_id.errors import typed
    >>> typed("Anna, second visit", windows=False)
    "'Anna, second visit'"
    >>> typed("C:/gait lab/Anna", windows=True)
    '"C:/gait lab/Anna"'
    >>> typed("C:/gait/Anna", windows=True)
    'C:/gait/Anna'
    """
    text = str(word)
    if not windows:
        return shlex.quote(text)
    return text if re.fullmatch(r"[\w.:/\\~-]+", text) else f'"{text}"'


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Suggest the nearest of some known words.

    Parameters
    ----------
    word : str
        The word as typed.
    known : Collection[str]
        The words there are.

    Returns
    -------
    str
        " Did you mean ...?", or nothing if none is near.
    """
    near = [k for k in sorted(known) if k.startswith(word)] or difflib.get_close_matches(word, sorted(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def near_miss(word: object, known: Collection[str]) -> str:
    """Suggest like `did_you_mean`, for a word in any case, and of any kind: "lasi" is near "LASI".

    Parameters
    ----------
    word : object
        The word or value as given.
    known : Collection[str]
        The words there are.

    Returns
    -------
    str
        " Did you mean ...?", or nothing if none is near.
    """
    if not isinstance(word, str):
        return ""
    alike = [each for each in known if each.casefold() == word.casefold()]
    return did_you_mean(alike[0] if alike else word, known)


@dataclass(frozen=True)
class Cure:
    """What somebody can type, or write into ``subject.toml``, against one lack of a session; neither where only recording helps.

    Attributes
    ----------
    lack : str
        What is lacking: "static", "subject", "mass", "measurements", "markers", ...
    option : str, optional
        Of ``biomech-id run``: "--static".
    choices : tuple[tuple[str, ...], ...], optional
        Values that the option takes, the first of them where nobody chooses; several values repeat it.
    keys : tuple[str, ...], optional
        Keys of ``subject.toml`` that would cure it.
    command : str, optional
        To be typed before ``run``.
    names : tuple[str, ...], optional
        Markers that are lacking.
    """

    lack: str
    option: str = ""
    choices: tuple[tuple[str, ...], ...] = ()
    keys: tuple[str, ...] = ()
    command: str = ""
    names: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """Each choice as it is typed: "--static standing"."""
        return tuple(" ".join(f"{self.option} {typed(value)}" for value in choice) for choice in self.choices)

    @property
    def sentence(self) -> Sentence:
        """What is lacking, and every way to cure it."""
        short = self.options[:3] if self.option != "--exclude" else self.options[:1]
        values = {"options": short, "others": len(self.options) - len(short)}
        ways = [Sentence("cure-options", values)] if self.options else []
        if self.keys:
            ways.append(Sentence("cure-keys", {"keys": self.keys, "template": self.command or None}))
        elif self.command:
            ways.insert(0, Sentence("cure-command", {"command": self.command}))
        return Sentence("cure", {"lack": self.lack, "names": self.names, "ways": ways or [Sentence("cure-recording")]})

    def to_dict(self) -> dict[str, object]:
        """Return one of the ``cures`` of ``check --json``."""
        lists = {"names": list(self.names), "options": list(self.options), "keys": list(self.keys)}
        return {"lack": self.lack, **lists, "command": self.command or None}


class BiomechError(Exception):
    """Base of all errors of this package.

    Parameters
    ----------
    message : str
        One clear sentence for the person who typed the command.
    value : object
        The offending value, as found.
    expected : str
        What would have been accepted.
    where : str
        File, trial, marker, plate or option concerned.

    Attributes
    ----------
    under_code : str
        The sentence without any name, where the subject has a code; empty otherwise.
    cures : tuple[Cure, ...]
        What somebody can do about it, where that is known.
    """

    under_code: str = ""
    cures: tuple[Cure, ...] = ()

    def __init__(self, message: str, *, value: object, expected: str, where: str) -> None:
        super().__init__(message)
        self.message = message
        self.value = value
        self.expected = expected
        self.where = where

    @classmethod
    def at(cls, path: object, message: str, expected: str) -> Self:
        """Return the error of a file or folder, which is both what was found and where.

        Returns
        -------
        Self
            With the path as its value and its place.
        """
        return cls(message, value=str(path), expected=expected, where=str(path))

    def cured_by(self, *cures: Cure) -> Self:
        """Say what somebody can do about it.

        Parameters
        ----------
        cures : Cure
            One for each lack.

        Returns
        -------
        Self
            The same error.
        """
        self.cures = cures
        return self

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process boundaries (sandbox, batch); keyword-only arguments need help to be pickled.
        return (_rebuild, (type(self), self.message, self.value, self.expected, self.where))


def _rebuild(kind: type[BiomechError], message: str, value: object, expected: str, where: str) -> BiomechError:
    return kind(message, value=value, expected=expected, where=where)


class FileRefusedError(BiomechError):
    """A file cannot be read, or reading it would give wrong numbers."""


class MissingInputError(BiomechError):
    """Something needed is not there: markers, a static trial, body mass, leg lengths."""


class InvalidValueError(BiomechError, ValueError):
    """A value is physically or formally impossible."""


class ShapeError(BiomechError, ValueError):
    """Array shapes do not fit together; the message names both."""


class FrameMismatchError(BiomechError, ValueError):
    """Two wrenches bound to different points or expressed in different frames were combined."""


class OptionError(BiomechError, ValueError):
    """A recipe, option or subject file holds a value that cannot be used."""


class OutputError(BiomechError, OSError):
    """Results cannot be written where they were asked for."""


class WrongTypeError(BiomechError, TypeError):
    """A function was given another kind of value than it takes: a motion for a trial, two arguments the wrong way round."""


class UnknownNameError(BiomechError, KeyError):
    """A mapping was asked for a name it does not have."""

    def __str__(self) -> str:
        return self.message  # KeyError would quote it


def must_be(value: object, kind: type | tuple[type, ...], *, argument: str, of: str, hint: str) -> None:
    """Refuse an argument of the wrong kind with a sentence, before it fails somewhere inside.

    Parameters
    ----------
    value : object
        What the caller gave.
    kind : type | tuple[type, ...]
        What it must be an instance of.
    argument, of : str
        Name of the argument, and of the function.
    hint : str
        Where such a value comes from.

    Raises
    ------
    WrongTypeError
        It is something else.
    """
    if not isinstance(value, kind):
        names = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
        given = type(value).__name__
        raise WrongTypeError(
            f"{of} takes a {names} as its {argument}, not a {given}: {hint}.", value=given, expected=names, where=of
        )


class BiomechWarning(UserWarning):
    """Something the user should know; the computation went on."""


class Severity(StrEnum):
    """How much a finding matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding(Sentence):
    """Something noticed in a file, trial or result that did not stop the work.

    Parameters
    ----------
    rule : str
        Stable identifier, lower-case words joined by hyphens (``gap-long``); its severity, words and hint stand in the tables of
        `biomech_id.languages`.
    values : Mapping[str, object], optional
        What was found, in the unit each name ends with.
    where : str
        Trial, marker or plate concerned; may be empty.
    """

    where: str = ""

    @property
    def severity(self) -> Severity:
        """How grave the rule is; a warning unless the tables name another severity."""
        return Severity(table("en").get(self.rule, {}).get("severity", Severity.WARNING))

    @property
    def message(self) -> str:
        """One English sentence that names what was found, with its number and unit."""
        return self.text()

    @property
    def hint(self) -> str:
        """One English sentence saying what to do about it; may be empty for information."""
        return worded(self.rule, self.values, part="hint")
