"""Values that one run leaves for the next: pickles of this package's own data and of arrays alone, in a folder for their owner.

A file is read only if it names nothing but classes of values of this package and NumPy's arrays, so that no file can have a program
run. Whatever cannot be read counts as not kept.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from biomech_id.errors import FileRefusedError
from biomech_id.files.atomic import whole_file
from biomech_id.files.digest import digest
from biomech_id.values import dataclass, field, is_dataclass

V = TypeVar("V")

_PACKAGE = __name__.partition(".")[0]
#: What NumPy's arrays and this package's read-only values are made by.
_MAKERS = {
    ("numpy", "dtype"), ("numpy", "ndarray"), ("numpy._core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"), ("numpy.core.multiarray", "_reconstruct"), ("numpy.core.numeric", "_frombuffer"),
    ("builtins", "dict"), ("builtins", "set"), ("builtins", "frozenset"), ("builtins", "slice"), ("builtins", "complex"),
    ("pathlib", "PosixPath"), ("pathlib", "WindowsPath"), ("biomech_id.trial.subject", "_rebuild"),
}  # fmt: skip


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Return a class of values.

        Raises
        ------
        FileRefusedError
            It is anything else.
        """
        if (module, name) in _MAKERS:
            return super().find_class(module, name)
        if module.partition(".")[0] == _PACKAGE and "." not in name:
            value = super().find_class(module, name)
            if isinstance(value, type) and (is_dataclass(value) or issubclass(value, Enum | tuple | Mapping)):
                return value
        called = f"{module}.{name}"
        raise FileRefusedError.at(called, f"{called} is no value of this package.", "data of this package")


class _Writer(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """Return how a member of an enumeration is made again: from its value, which Python 3.11.0 to 3.11.3 do by ``getattr``."""
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


@dataclass(frozen=True)
class KeptValues:
    """A folder of values by key.

    Attributes
    ----------
    folder : Path
        Made with the first value, for its owner alone.
    versions : tuple[str, ...], optional
        Of all that computes: what another one made is not taken over.
    """

    folder: Path
    versions: tuple[str, ...] = ()
    _asked: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def read(self, key: str) -> Any:
        """Return the value of a key; None where there is none that can be read.

        Parameters
        ----------
        key : str
            As of `write`.
        """
        self._asked.add(key)
        try:
            with (self.folder / key).open("rb") as file:
                return _Reader(file).load()
        except Exception:  # noqa: BLE001 - a damaged or foreign file raises whatever its bytes happen to mean
            return None

    def later(self, key: str) -> Callable[[], Any] | None:
        """Return what reads a value when it is asked for; None where none is kept.

        Parameters
        ----------
        key : str
            As of `write`.
        """
        self._asked.add(key)
        return partial(self._whole, key) if (self.folder / key).is_file() else None

    def _whole(self, key: str) -> Any:
        value, path = self.read(key), self.folder / key
        if value is None:
            raise FileRefusedError.at(path, f"{path} is damaged; delete it and run again.", "values that a run has kept")
        return value

    def write(self, key: str, value: object) -> None:
        """Keep a value.

        Parameters
        ----------
        key : str
            Hash of all that it follows from, the version of this package included.
        value : object
            Data of this package, arrays, texts and bytes.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        self._asked.add(key)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(self.folder / key) as part, part.open("wb") as file:
            _Writer(file, protocol=5).dump(value)

    def tidy(self) -> None:
        """Take away what nobody has read or written."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name not in self._asked:
                path.unlink(missing_ok=True)


def made_once(kept: KeptValues | None, make: Callable[[], V], kind: str, *given: object) -> V:
    """Return a value from another run that was given the same, else make and keep it.

    Parameters
    ----------
    kept : KeptValues | None
        Where it lies; None makes it and keeps nothing.
    make : Callable[[], V]
        Makes it; never None.
    kind : str
        What it is, one word for each caller.
    given : object
        All that it follows from, beside the versions of this package and what computes: data of which `files.digest.digest` returns
        a hash.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    if kept is None:
        return make()
    key = digest(kept.versions, kind, *given)
    value: V | None = kept.read(key)
    if value is None:
        value = make()
        kept.write(key, value)
    return value
