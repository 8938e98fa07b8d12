"""What a file that people write may say, described once: recipe, subject, style, marker set, inertial table, norm.

A description is data: a `Setting` says what a single value may be, a `Section` which keys go together, a `ListOf` that a list holds
several alike. From it come the check of a file (`must_fit`), the sentence about its first mistake, with the nearest known word, and
the file that a laboratory starts from (`template`). Another kind of file is another description, and no further validator.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date, time
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from biomech_id.errors import BiomechError, FileRefusedError, InvalidValueError, OptionError, did_you_mean
from biomech_id.files.text import read_problem, read_text
from biomech_id.values import dataclass

Read = TypeVar("Read")
#: A file written by hand is shorter.
MOST_CHARACTERS = 4_000_000
#: Words, or what returns them when they are asked for.
Choices: TypeAlias = tuple[str, ...] | Callable[[], tuple[str, ...]]
#: A number as half of Europe writes it, where a setting's value stands.
DECIMAL_COMMA = re.compile(r"=\s*(-?\d+),(\d+)")


@dataclass(frozen=True)
class Spot:
    """One place in a file, for the sentence about what stands there.

    Attributes
    ----------
    where : str
        What messages call the file; may be empty for a value that came from no file.
    path : tuple[str, ...]
        Keys that lead to the value, outermost first.
    value : Any
        The value that stands there.
    known : Collection[str], optional
        Keys that could stand there.
    """

    where: str
    path: tuple[str, ...]
    value: Any
    known: Collection[str] = ()

    @property
    def start(self) -> str:
        """How a sentence begins that names the file; nothing without one."""
        return f"{self.where}: " if self.where else ""

    @property
    def key(self) -> str:
        """The innermost key."""
        return self.path[-1] if self.path else ""

    @property
    def dotted(self) -> str:
        """All keys, as TOML writes them."""
        return ".".join(self.path)

    @property
    def near(self) -> str:
        """The nearest known key as a question, or nothing (see `did_you_mean`)."""
        return did_you_mean(self.key, self.known)

    def mistake(self, message: str, expected: str) -> Mistake:
        """Describe a mistake at this place, as `mistakes` yields it.

        Parameters
        ----------
        message : str
            What is wrong, in words.
        expected : str
            What would be accepted.

        Returns
        -------
        Mistake
            The sentence, the offending value, what was expected, and the dotted keys.
        """
        return message, self.value, expected, self.dotted

    def must_be(self, words: str, called: str = "") -> str:
        """Write the sentence about a value that does not fit.

        Parameters
        ----------
        words : str
            What was expected, in words.
        called : str, optional
            What the value is called in the sentence; "" for its dotted name.

        Returns
        -------
        str
            Names file, keys, value and what it must be.
        """
        value = str(self.value) if isinstance(self.value, date | time) else self.value
        named = ": ".join(filter(None, (self.where, called or self.dotted)))
        return f"{named} is {value!r}; it must be {words}."


@dataclass(frozen=True)
class Setting:
    """What one value may be.

    Attributes
    ----------
    words : str
        In words, range and unit included: "a number from 5 to 24 points".
    fits : Callable[[Any], bool]
        Value -> whether it is one.
    explained : str
        What the setting does, for templates and tables in the documentation.
    called : str
        What sentences call the value, with ``{key}`` in it; its dotted keys otherwise.
    said : Callable[[Spot], str] | None, optional
        Writes another sentence than `Spot.must_be`; None for that one.
    one_of : Choices, optional
        The words that are accepted, where they are few; or what returns them, where they are those of a registry.
    per : tuple[str, ...], optional
        Keys of a table that may stand in the value's place, with one value each: left and right.
    read : Callable[[Any], Any], optional
        Value that fits -> value as the program uses it.
    """

    words: str
    fits: Callable[[Any], bool]
    explained: str = ""
    called: str = ""
    said: Callable[[Spot], str] | None = None
    one_of: Choices = ()
    per: tuple[str, ...] = ()
    read: Callable[[Any], Any] = lambda value: value

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that are accepted by now; empty where others are."""
        return self.one_of() if callable(self.one_of) else self.one_of

    @property
    def expected(self) -> str:
        """What it must be, in words."""
        return f"one of {', '.join(self.choices)}" if self.one_of else self.words


@dataclass(frozen=True)
class Section:
    """Keys that go together: a file, one of its sections, a line of a CSV file.

    Attributes
    ----------
    entries : Mapping[str, Entry]
        Key -> what may stand there.
    rest : Entry | None, optional
        What other keys hold; None refuses them.
    required : Collection[str], optional
        Keys that must be there.
    rules : tuple[Setting, ...], optional
        What the table as a whole must be, once its entries are.
    unknown : Callable[[Spot], str], optional
        Writes the sentence about a key that is not read.
    missing : Callable[[Spot], str], optional
        Writes the sentence about a required key that is not there.
    no_table : Callable[[Spot], str], optional
        Writes the sentence about a value in place of the table.
    """

    entries: Mapping[str, Entry]
    rest: Entry | None = None
    required: Collection[str] = ()
    rules: tuple[Setting, ...] = ()
    unknown: Callable[[Spot], str] = lambda at: f"{at.start}there is no setting {at.dotted}.{at.near}"
    missing: Callable[[Spot], str] = lambda at: f"{at.start}{at.dotted} is missing."
    no_table: Callable[[Spot], str] = lambda at: f"{at.start}[{at.dotted}] must be a table of settings, not {at.value!r}."


@dataclass(frozen=True)
class ListOf:
    """A list whose items are all of one kind, such as ``[[cycle]]`` tables.

    Attributes
    ----------
    of : Entry
        What each item is.
    """

    of: Entry


#: What may stand under a name.
Entry: TypeAlias = Setting | Section | ListOf
#: A sentence about a mistake, the offending value, what was expected, and the keys that lead there.
Mistake: TypeAlias = tuple[str, object, str, str]


def a_number(least: float = -math.inf, most: float = math.inf, unit: str = "", explained: str = "") -> Setting:
    """Describe a number within a range.

    Parameters
    ----------
    least : float, optional
        Smallest value that is accepted.
    most : float, optional
        Largest value that is accepted.
    unit : str, optional
        "mm"; "" for none.
    explained : str, optional
        What the setting means, for those who write the file.

    Returns
    -------
    Setting
        Never fits NaN, true or false.
    """
    return Setting(
        f"a number{_range(least, most)}{f' {unit}' * bool(unit)}", lambda v: is_number(v) and least <= v <= most, explained
    )


def a_whole_number(least: float = -math.inf, most: float = math.inf, explained: str = "") -> Setting:
    """Describe a whole number within a range.

    Parameters
    ----------
    least : float, optional
        Smallest value that is accepted.
    most : float, optional
        Largest value that is accepted.
    explained : str, optional
        What the setting means, for those who write the file.

    Returns
    -------
    Setting
        Does not fit true and false, nor 2.0.
    """
    return Setting(f"a whole number{_range(least, most)}", lambda v: type(v) is int and least <= v <= most, explained)


def a_text(explained: str = "") -> Setting:
    """Describe a text.

    Parameters
    ----------
    explained : str, optional
        What the setting means, for those who write the file.

    Returns
    -------
    Setting
        Fits any str.
    """
    return Setting("a text", lambda v: isinstance(v, str), explained)


def texts(explained: str = "") -> Setting:
    """Describe a list of texts.

    Parameters
    ----------
    explained : str, optional
        What the setting means, for those who write the file.

    Returns
    -------
    Setting
        Fits an empty list too.
    """
    return Setting("a list of texts", lambda v: isinstance(v, list | tuple) and all(isinstance(item, str) for item in v), explained)


def yes_or_no(explained: str = "") -> Setting:
    """Describe true or false.

    Parameters
    ----------
    explained : str, optional
        What the setting means, for those who write the file.

    Returns
    -------
    Setting
        Fits a bool only.
    """
    return Setting("true or false", lambda v: isinstance(v, bool), explained)


def one_of(choices: Choices, explained: str = "") -> Setting:
    """Describe one of a few words.

    Parameters
    ----------
    choices : Choices
        The words that are accepted.
    explained : str, optional
        What the setting means, for those who write the file.

    Returns
    -------
    Setting
        Its ``choices`` are asked for at each check where they are a function.
    """
    return Setting("", lambda v: v in (choices() if callable(choices) else choices), explained, one_of=choices)


#: Whatever there is: what other keys of a table hold, or what another step looks at.
ANYTHING = Setting("anything", lambda _: True)


def is_number(value: object) -> bool:
    """Whether a value is a number, which true and false are not.

    Parameters
    ----------
    value : object
        Any value of a parsed file.
    """
    return isinstance(value, int | float) and not isinstance(value, bool)


def _range(least: float, most: float) -> str:
    return f" from {least:g} to {most:g}" if most < math.inf else f" of at least {least:g}" if least > -math.inf else ""


def mistakes(entry: Entry, content: object, where: str, path: tuple[str, ...] = ()) -> Iterator[Mistake]:
    """Find every mistake in a parsed file, in the order of its description.

    Parameters
    ----------
    entry : Entry
        What may stand there.
    content : object
        What stands there, as parsed.
    where : str
        What messages call the file.
    path : tuple[str, ...], optional
        Keys that lead there.

    Yields
    ------
    Mistake
        Sentence, offending value, what was expected, and dotted keys.
    """
    at = Spot(where, path, content)
    if isinstance(entry, Setting) and entry.per and isinstance(content, Mapping):
        if not content or not content.keys() <= set(entry.per):
            words = f"one value, or {{ {', '.join(f'{key} = ...' for key in entry.per)} }}"
            yield at.mistake(at.must_be(words), words)
        for value in content.values():
            yield from mistakes(entry, value, where, path)
    elif isinstance(entry, Setting):
        if not entry.fits(content):
            message = entry.said(at) if entry.said else at.must_be(entry.expected, entry.called.format(key=at.key))
            yield at.mistake(message, entry.expected)
    elif isinstance(entry, ListOf) and isinstance(content, list):
        for index, item in enumerate(content, start=1):
            yield from mistakes(entry.of, item, where, (*path[:-1], f"{at.key}[{index}]"))
    elif isinstance(entry, ListOf):
        yield at.mistake(at.must_be("a list"), "a list")
    elif isinstance(content, Mapping):
        yield from _in_table(entry, content, where, path)
    else:
        yield at.mistake(entry.no_table(at), "a table of settings")


def _in_table(table: Section, content: Mapping[str, object], where: str, path: tuple[str, ...]) -> Iterator[Mistake]:
    entries = table.entries
    for key in (key for key in content if table.rest is None and key not in entries):
        spot = Spot(where, (*path, key), content[key], entries)
        yield spot.mistake(table.unknown(spot), " | ".join(sorted(entries)[:40]) or "a known section")
    for key in (key for key in table.required if key not in content):
        spot = Spot(where, (*path, key), None)
        yield spot.mistake(table.missing(spot), key)
        if isinstance(entries.get(key), Section):
            yield from mistakes(entries[key], {}, where, (*path, key))
    flaws: list[Mistake] = []
    for key, value in content.items():
        flaws += mistakes(entries.get(key, table.rest or ANYTHING), value, where, (*path, key))
    yield from flaws or (flaw for rule in table.rules for flaw in mistakes(rule, content, where, path))


def must_fit(entry: Entry, content: object, where: str, error: type[BiomechError] = OptionError) -> None:
    """Refuse what does not fit its description, by its first mistake.

    Parameters
    ----------
    entry : Entry
        What may stand there.
    content : object
        What stands there, as parsed.
    where : str
        The file or trial concerned, for the error message.
    error : type[BiomechError], optional
        Type of the error that is raised.

    Raises
    ------
    BiomechError
        Of the type ``error``.
    """
    for message, value, expected, place in mistakes(entry, content, where):
        raise error(message, value=value, expected=expected, where=where or place)


def refuse_unknown_options(given: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse keywords of a Python function that it does not have, with the nearest that it has.

    Parameters
    ----------
    given : Iterable[str]
        The keywords of the call.
    known : Iterable[str]
        The keywords that the function has.
    where : str
        Name of the function, for the message.

    Raises
    ------
    OptionError
        One of them is unknown.
    """
    options = Section(dict.fromkeys(known, ANYTHING), unknown=lambda at: f"There is no option {at.key}.{at.near}")
    must_fit(options, dict.fromkeys(given), where)


def read_written(
    path: str | Path,
    parse: Callable[[str], Read],
    *,
    unreadable: str = "{path} cannot be read as TOML: {why}.{comma}",
    error: type[BiomechError] = OptionError,
) -> Read:
    """Read a file that a person wrote.

    Parameters
    ----------
    path : str | Path
        The file, UTF-8 or UTF-16.
    parse : Callable[[str], Read]
        Makes a value of its text; ``tomllib.loads`` for TOML.
    unreadable : str
        The sentence when that fails; ``{why}`` names the line.
    error : type
        Type of the error that is raised then.

    Returns
    -------
    Read
        What ``parse`` makes of the file's text.

    Raises
    ------
    BiomechError
        Of the type ``error``: there is no such file, it is not UTF-8, or not what it should be.
    """
    content = ""
    try:
        content = read_text(path)
        return parse(content)
    except (OSError, ValueError) as reason:
        comma = DECIMAL_COMMA.search(content)
        hint = f" A decimal takes a point: {comma[1]}.{comma[2]}, not {comma[1]},{comma[2]}." if comma else ""
        message = unreadable.format(path=path, why=read_problem(reason), comma=hint)
        raise error(message, value=str(path), expected="a readable file in UTF-8", where=str(path)) from reason


def toml_of(text: str) -> dict[str, Any]:
    """Parse a TOML file that a person wrote.

    Parameters
    ----------
    text : str
        Content of the file.

    Returns
    -------
    dict[str, Any]
        Its tables and values.

    Raises
    ------
    InvalidValueError
        It is nested without end, or longer than people write; what is not TOML is tomllib's own ValueError.
    """
    if len(text) > MOST_CHARACTERS:
        raise InvalidValueError(
            f"it has {len(text)} characters, and nobody writes more than {MOST_CHARACTERS}",
            value=len(text), expected=f"at most {MOST_CHARACTERS} characters", where="TOML",
        )  # fmt: skip
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InvalidValueError(
            "its brackets are nested too deep", value=len(text), expected="brackets that people nest", where="TOML"
        ) from None


def laid_over(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one file's settings over another's, section by section.

    Parameters
    ----------
    base : Mapping[str, Any]
        What holds where the other says nothing.
    own : Mapping[str, Any]
        What the other file says.

    Returns
    -------
    dict[str, Any]
        ``base`` with the other's values in place of its own; sections are merged one level deep.
    """
    both = {key for key, value in base.items() if isinstance(value, Mapping) and isinstance(own.get(key), Mapping)}
    return {**base, **own, **{key: {**base[key], **own[key]} for key in both}}


def shipped_or_own(name: str | Path, what: str, shipped: Collection[str], folder: Path, suffix: str) -> str:
    """Read a file that is shipped with the package, by its name, or a laboratory's own, by its path.

    Parameters
    ----------
    name : str | Path
        Name of a shipped file, or a path that ends with ``suffix``.
    what : str
        What messages call it: "marker set".
    shipped : Collection[str]
        Names that are shipped.
    folder : Path
        Folder of the shipped files.
    suffix : str
        How the files end.

    Returns
    -------
    str
        The file's text.

    Raises
    ------
    OptionError
        Nothing is shipped under that name.
    FileRefusedError
        The file cannot be read.
    """
    if Path(name).suffix.lower() == suffix:
        return read_written(name, str, unreadable=f"The {what} {{path}} cannot be read: {{why}}.", error=FileRefusedError)
    words = f"one of {', '.join(shipped)}, or the path of a {suffix} file"
    must_fit(Setting(words, lambda v: v in shipped, said=lambda at: f"There is no {what} named {at.value}."), str(name), what)
    return folder.joinpath(f"{name}{suffix}").read_text(encoding="utf-8")


def template(table: Section, values: Mapping[str, Any]) -> str:
    """Write a file to be edited: every setting explained, with its value, or commented out where there is none.

    Parameters
    ----------
    table : Section
        Description of the file or section.
    values : Mapping[str, Any]
        Key -> value, section -> its values.

    Returns
    -------
    str
        TOML with comments.
    """
    written = ""
    for key, entry in table.entries.items():
        value = values.get(key)
        if isinstance(entry, Section) and entry.entries and isinstance(value, Mapping):
            written += f"\n[{key}]\n{template(entry, value)}"
        elif isinstance(entry, Setting):
            choices = f"One of: {', '.join(entry.choices)}." if entry.one_of else ""
            written += "".join(f"# {line}\n" for line in (entry.explained, choices) if line)
            written += f"# {key} =\n" if value is None else f"{key} = {toml_value(value)}\n"
    return written


def toml_value(value: object) -> str:
    """Write a value as TOML does.

    Parameters
    ----------
    value : object
        A bool, text, number, mapping, list or tuple of these.

    Returns
    -------
    str
        One line; floats with nine significant digits.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # JSON escapes what TOML does, but for the delete character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml_key(key)} = {toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def _toml_key(key: str) -> str:
    """A key as TOML writes it: quoted where it holds more than letters, digits, lines."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)
