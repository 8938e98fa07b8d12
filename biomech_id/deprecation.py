"""What will go: the warning that says so, and the decorator that gives it.

A name, an argument or an attribute that goes stays for two minor versions, works, and warns: since when, until when, and what to
write instead. Names that moved to another module stand in ``moved.csv`` (see `biomech_id.moved`); the decorator is for the rest.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from biomech_id.errors import BiomechWarning, WrongTypeError

P = ParamSpec("P")
R = TypeVar("R")
#: Minor versions for which a deprecated name still works.
MINOR_VERSIONS = 2


def goes_in(since: str) -> str:
    """Return the version in which a name goes that is deprecated since another: two minor versions later.

    Parameters
    ----------
    since : str
        Version that first warned: "0.2", or "0.2.1".

    Returns
    -------
    str
        Major and minor number.

    Examples
    --------
    >>> from biomech_id.deprecation import goes_in
    >>> goes_in("0.9.1")
    '0.11'
    """
    major, minor = since.split(".")[:2]
    return f"{major}.{int(minor) + MINOR_VERSIONS}"


class BiomechDeprecationWarning(BiomechWarning, DeprecationWarning):
    """Something that still works was used, and will go.

    Parameters
    ----------
    name : str
        What was used: "solve", "solve(contact_N)", "biomech_id.feet.landmarks".
    since : str
        Version that first warned.
    instead : str
        What to write instead; empty where nothing takes its place.

    Attributes
    ----------
    until : str
        Version in which it goes.
    """

    def __init__(self, name: str, since: str, instead: str = "") -> None:
        self.name, self.since, self.instead, self.until = name, since, instead, goes_in(since)
        cure = f"write {instead} instead" if instead else "leave it out"
        super().__init__(f"{name} is deprecated since version {since} and goes in version {self.until}: {cure}.")


def deprecated(
    since: str, instead: str = "", *, arguments: Mapping[str, str | None] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator for a function, method or getter that goes, or that no longer has some of its arguments.

    Parameters
    ----------
    since : str
        Version that first warns.
    instead : str, optional
        What to write instead of the function, or of an argument that has no new name.
    arguments : Mapping[str, str | None], optional
        Old keyword argument -> its new name, or None where it went and has no effect. The function takes the new ones only; using
        it without the old ones does not warn.

    Returns
    -------
    Callable
        The decorator. Over an attribute that goes it stands below ``@property``.

    Examples
    --------
    >>> import warnings
    >>> from biomech_id.deprecation import deprecated
    >>> @deprecated("0.2", arguments={"cutoff": "cutoff_Hz"})
    ... def smooth(cutoff_Hz: float) -> float:
    ...     return cutoff_Hz
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     smooth(cutoff=6.0)  # type: ignore[call-arg]
    6.0
    >>> print(caught[0].message)
    smooth(cutoff) is deprecated since version 0.2 and goes in version 0.4: write cutoff_Hz instead.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__qualname__.rpartition("<locals>.")[2]

        @wraps(function)
        def warned(*args: P.args, **kwargs: P.kwargs) -> R:
            if arguments is None:
                warnings.warn(BiomechDeprecationWarning(name, since, instead), stacklevel=2)
                return function(*args, **kwargs)
            for old in arguments.keys() & kwargs.keys():
                new = arguments[old]
                warnings.warn(BiomechDeprecationWarning(f"{name}({old})", since, new or instead), stacklevel=2)
                value = kwargs.pop(old)
                if new in kwargs:
                    raise WrongTypeError(
                        f"{name} was given {old} and {new}, which are one argument: leave {old} out.",
                        value=value, expected=f"{new} alone", where=name,
                    )  # fmt: skip
                if new is not None:
                    kwargs[new] = value
            return function(*args, **kwargs)

        # What the list of public names reads (tests/contract/api_snapshot.py): what warns is still there.
        warned.__dict__["__deprecated_names__"] = {name: instead} if arguments is None else dict(arguments)
        return warned

    return decorate
