"""What an argument of a public function, or a field of a public value, may be: written once beside it, checked at the door.

`takes` stands over a function and `holds` over a value's class, with one `Kind` for each argument. Whoever gives something else,
too much, too little, or a name that is not there, gets a `BiomechError` with the argument, what was given and what is expected.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from enum import EnumType, StrEnum
from numbers import Integral, Real
from typing import Any, TypeVar

from biomech_id.errors import BiomechError, InvalidValueError, OptionError, WrongTypeError, did_you_mean
from biomech_id.values import dataclass, replace

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)
#: Longest text of a value that an error repeats.
LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Kind:
    """What one argument may be.

    Attributes
    ----------
    words : str
        In words, range and unit included: "a number from 2 to 400 kg".
    of_type : Callable[[Any], bool]
        Whether a value is of the right type at all.
    fits : Callable[[Any], bool], optional
        Whether a value of that type can be used.
    hint : str, optional
        Where such a value comes from.
    choices : Collection[str], optional
        The words that are accepted, where they are few.
    """

    words: str
    of_type: Callable[[Any], bool]
    fits: Callable[[Any], bool] = lambda value: True
    hint: str = ""
    choices: Collection[str] = ()

    def check(self, value: Any, argument: str, of: str) -> None:
        """Refuse a value that does not fit.

        Parameters
        ----------
        value : Any
            What the caller gave.
        argument, of : str
            Name of the argument, and of the function or value it belongs to.

        Raises
        ------
        WrongTypeError
            It is of another type.
        OptionError
            It is none of a few words.
        InvalidValueError
            It is out of range.
        """
        if self.of_type(value) and self.fits(value):
            return
        message = f"{of} takes {self.words} as its {argument}, not {_shown(value)}"
        message += f": {self.hint}." if self.hint else "."
        kind: type[BiomechError] = InvalidValueError
        if not self.of_type(value):
            kind = WrongTypeError
        elif self.choices:
            kind = OptionError
            message += did_you_mean(str(value), self.choices)
        raise kind(message, value=_repeated(value), expected=self.words, where=of)


def _shown(value: object) -> str:
    """What was given, for a sentence: plain values as they are written, others by their type."""
    if isinstance(value, Real) or value is None:
        return str(value)
    given = type(value).__name__
    if shape := getattr(value, "shape", None):
        given += f" of shape {tuple(shape)}"
    article = "an" if given[:1] in "AEIOaeio" else "a"
    plain = isinstance(value, str | os.PathLike | Mapping | list | tuple | complex)
    return f"{article} {given}" + (f" ({repr(value)[:LONGEST_SHOWN]})" if plain else "")


def _repeated(value: object) -> object:
    """The offending value as an error carries it: itself where it is plain and short (errors are pickled), else its type."""
    plain = value is None or isinstance(value, str | int | float | list | tuple | dict)
    return value if plain and len(repr(value)) < 10 * LONGEST_SHOWN else type(value).__name__


def a(kind: type | tuple[type, ...], hint: str = "") -> Kind:
    """Describe a value of a type.

    Parameters
    ----------
    kind : type | tuple[type, ...]
        The type, or several.
    hint : str, optional
        Where such a value comes from.

    Returns
    -------
    Kind
        Fits an instance of any of the types.
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return Kind(f"a {' or '.join(each.__name__ for each in kinds)}", lambda v: isinstance(v, kinds), hint=hint)


def a_quantity(least: float = -math.inf, most: float = math.inf, unit: str = "") -> Kind:
    """Describe a finite number in its unit, within a range.

    Parameters
    ----------
    least, most : float, optional
        Smallest and largest value.
    unit : str, optional
        "kg"; "" for none.

    Returns
    -------
    Kind
        Fits integers and NumPy numbers too; never NaN or a bool.

    Examples
    --------
    >>> from biomech_id.arguments import a_quantity
    >>> a_quantity(2, 400, "kg").words
    'a number from 2 to 400 kg'
    """
    between = f"from {least:g} to {most:g}" if most < math.inf else f"of at least {least:g}" if least > -math.inf else ""
    words = " ".join(filter(None, ("a number", between, unit)))
    return Kind(words, lambda v: isinstance(v, Real) and not isinstance(v, bool), lambda v: least <= float(v) <= most)


def a_count(least: int, most: int | None = None) -> Kind:
    """Describe a whole number.

    Parameters
    ----------
    least : int
        Smallest that is accepted.
    most : int | None, optional
        Largest; None for any.

    Returns
    -------
    Kind
        Fits NumPy integers too; never a bool.
    """
    words = f"a whole number from {least} to {most}" if most is not None else f"a whole number of at least {least}"
    fits: Callable[[Any], bool] = lambda v: least <= v and (most is None or v <= most)  # noqa: E731
    return Kind(words, lambda v: isinstance(v, Integral) and not isinstance(v, bool), fits)


def a_word(choices: Collection[str] | EnumType) -> Kind:
    """Describe one of a few words, or what names a member of an enum.

    Parameters
    ----------
    choices : Collection[str] | EnumType
        The words, or the enum of them.

    Returns
    -------
    Kind
        Fits a str that is exactly one of them.
    """
    words = tuple(map(str, choices))
    return Kind(f"one of {', '.join(map(repr, words))}", lambda v: isinstance(v, str), lambda v: v in words, choices=words)


def a_switch() -> Kind:
    """Describe True or False.

    Returns
    -------
    Kind
        Fits a NumPy bool too.
    """
    return Kind("True or False", lambda v: isinstance(v, bool) or type(v).__name__ == "bool")


def a_str() -> Kind:
    """Describe a text.

    Returns
    -------
    Kind
        Fits any str.
    """
    return Kind("a str", lambda v: isinstance(v, str))


def an_array() -> Kind:
    """Describe numbers in an array.

    Returns
    -------
    Kind
        Fits an array of NumPy's kind or a sequence; what is in it is for the function to look at.
    """
    return Kind("an array", lambda v: hasattr(v, "__array__") or (isinstance(v, Sequence) and not isinstance(v, str | bytes)))


def a_path(hint: str) -> Kind:
    """Describe the name of a file or folder.

    Parameters
    ----------
    hint : str
        Which file or folder it is.

    Returns
    -------
    Kind
        Fits a str or PathLike without a NUL character.
    """
    return Kind("a str or PathLike", lambda v: isinstance(v, str | os.PathLike), lambda v: "\0" not in os.fspath(v), hint)


def a_day() -> Kind:
    """Describe a day as ISO writes it.

    Returns
    -------
    Kind
        Fits a str such as "2019-05-31".
    """
    return Kind("a day like '2019-05-31'", lambda v: isinstance(v, str), _is_day)


def _is_day(value: str) -> bool:
    try:
        return bool(date.fromisoformat(value))
    except ValueError:
        return False


def one_or_several(kind: Kind) -> Kind:
    """Describe one of a kind, or a sequence of them.

    Parameters
    ----------
    kind : Kind
        What every item may be.

    Returns
    -------
    Kind
        Fits an empty sequence too.
    """
    many = each(kind)
    return Kind(
        f"{kind.words} or a sequence of them", lambda v: kind.of_type(v) or many.of_type(v),
        lambda v: kind.fits(v) if kind.of_type(v) else many.fits(v), kind.hint,
    )  # fmt: skip


def each(kind: Kind) -> Kind:
    """Describe several of a kind, in a sequence.

    Parameters
    ----------
    kind : Kind
        What every item may be.

    Returns
    -------
    Kind
        Fits an empty sequence; a text is none.
    """
    one = kind.words.removeprefix("a ").removeprefix("an ")
    accepted: Callable[[Any], bool] = lambda v: isinstance(v, Sequence) and not isinstance(v, str | bytes)  # noqa: E731
    of_type: Callable[[Any], bool] = lambda v: accepted(v) and all(map(kind.of_type, v))  # noqa: E731
    return Kind(f"a sequence of {one}", of_type, lambda v: all(map(kind.fits, v)), kind.hint)


def by(keys: Collection[str], kind: Kind) -> Kind:
    """Describe a mapping with some of the keys.

    Parameters
    ----------
    keys : Collection[str]
        Keys that may occur, "L" and "R".
    kind : Kind
        What every value may be.

    Returns
    -------
    Kind
        Fits an empty mapping too.
    """
    example = " and ".join(map(repr, keys))
    of_type: Callable[[Any], bool] = lambda v: isinstance(v, Mapping) and all(map(kind.of_type, v.values()))  # noqa: E731
    return Kind(
        f"a mapping of {example} (or one of them) to {kind.words}", of_type,
        lambda v: set(v) <= set(keys) and all(map(kind.fits, v.values())), kind.hint,
    )  # fmt: skip


def or_none(kind: Kind) -> Kind:
    """Describe the same, or None.

    Parameters
    ----------
    kind : Kind
        What else it may be.

    Returns
    -------
    Kind
        With the same hint and choices.
    """
    return replace(
        kind, words=f"{kind.words} or None",
        of_type=lambda v: v is None or kind.of_type(v), fits=lambda v: v is None or kind.fits(v),
    )  # fmt: skip


def member(kind: type[StrEnum], value: object, argument: str, of: str) -> Any:
    """Find the member of an enum that a word names, whatever its case.

    Parameters
    ----------
    kind : type[StrEnum]
        The enum of texts.
    value : object
        A member, or its value as a text.
    argument, of : str
        Name of the argument, and of the value it belongs to.

    Returns
    -------
    Any
        The member, of type ``kind``.

    Raises
    ------
    WrongTypeError
        No text.
    OptionError
        No member has that value; the message lists them.

    Examples
    --------
    >>> from biomech_id.arguments import member
    >>> from biomech_id.conventions import Side
    >>> member(Side, "l", "side", "Event")
    <Side.LEFT: 'L'>
    """
    words = {str(each_.value).casefold(): each_ for each_ in kind}
    a_word(kind).check(words.get(value.casefold(), value) if isinstance(value, str) else value, argument, of)
    return words[str(value).casefold()]


def takes(_name: str = "", /, **kinds: Kind) -> Callable[[_Function], _Function]:
    """Check a function's arguments before it runs.

    Parameters
    ----------
    _name : str, optional
        What messages call the function; its own name otherwise.
    kinds : Kind
        Argument -> what it may be. An argument that is left out of the call is not checked.

    Returns
    -------
    Callable[[_Function], _Function]
        A decorator; the function keeps its name, signature and docstring.

    Examples
    --------
    >>> from biomech_id.arguments import a_quantity, takes
    >>> @takes(mass_kg=a_quantity(2, 400, "kg"))
    ... def weight_N(mass_kg: float) -> float:
    ...     return 9.81 * mass_kg
    >>> weight_N(70000)
    Traceback (most recent call last):
    biomech_id.errors.InvalidValueError: weight_N takes a number from 2 to 400 kg as its mass_kg, not 70000.
    """

    def decorate(function: _Function) -> _Function:
        signature, of = inspect.signature(function), _name or function.__name__
        parameters = signature.parameters.values()
        positional = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
        named = {*positional, *(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)}
        needed = {each.name for each in parameters if each.name in named and each.default is each.empty}

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            given = dict(zip(positional, args, strict=False)) | kwargs
            # Binding takes longer than many a function: it is for calls that may not fit, and says how they do not.
            if not (len(args) + len(kwargs) == len(given) and needed <= given.keys() <= named):
                try:
                    given = signature.bind(*args, **kwargs).arguments
                except TypeError as reason:
                    raise _misnamed(reason, signature, of, args, kwargs) from None
            for argument, kind in kinds.items():
                if argument in given:
                    kind.check(given[argument], argument, of)
            return function(*args, **kwargs)

        return checked  # type: ignore[return-value]

    return decorate


def holds(**kinds: Kind) -> Callable[[_Class], _Class]:
    """Check the fields of a dataclass when a value is made.

    Parameters
    ----------
    kinds : Kind
        Field -> what it may be.

    Returns
    -------
    Callable[[_Class], _Class]
        A decorator, to stand over ``@dataclass``.
    """

    def decorate(cls: _Class) -> _Class:
        cls.__init__ = takes(cls.__name__, **kinds)(cls.__init__)  # type: ignore[misc]
        return cls

    return decorate


#: Above this the names of a call's arguments are no sentence; the nearest one is said.
_MOST_NAMES = 12


def _misnamed(
    reason: TypeError, signature: inspect.Signature, of: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> BiomechError:
    """The error of a call whose arguments are too many, too few, or have names that the function does not know."""
    own = [each for each in signature.parameters.values() if each.name != "self"]
    known = [each.name for each in own if each.kind is not each.VAR_KEYWORD]
    open_ended = len(known) < len(own)
    # Where further keywords are taken, one that is nearly an argument's name is that name misspelt.
    strange = (name for name in kwargs if name not in known and (not open_ended or did_you_mean(name, known)))
    unknown = next(strange, None)
    n_positional = len(args) - ("self" in signature.parameters)
    given = unknown if unknown is not None else f"{n_positional} by position and {', '.join(kwargs) or 'none'} by name"
    expected = f"{of}({', '.join(known)})" if len(known) <= _MOST_NAMES else of
    problem = f"was called otherwise: {reason}." if unknown is None else f"has no argument {unknown}.{did_you_mean(unknown, known)}"
    return WrongTypeError(f"{expected} {problem}", value=given, expected=expected, where=of)
