"""Values that one run leaves for the next: pickles of this package's own data and of arrays alone, in a folder for their owner.

A file is read only if it names nothing but classes of values of this package and NumPy's arrays, so that no file can have a program
run. Whatever cannot be read counts as not kept.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from biomech_id.errors import FileRefusedError
from biomech_id.files.atomic import whole_file

_PACKAGE = __name__.partition(".")[0]
#: What NumPy's arrays and this package's read-only values are made by.
_MAKERS = {
    ("numpy", "dtype"), ("numpy", "ndarray"), ("numpy._core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"), ("numpy.core.multiarray", "_reconstruct"), ("numpy.core.numeric", "_frombuffer"),
    ("builtins", "set"), ("builtins", "frozenset"), ("builtins", "slice"), ("builtins", "complex"), ("pathlib", "PosixPath"),
    ("pathlib", "WindowsPath"), ("biomech_id.trial.subject", "_rebuild"),
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


@dataclass(frozen=True)
class KeptValues:
    """A folder of values by key.

    Attributes
    ----------
    folder : Path
        Made with the first value, for its owner alone.
    """

    folder: Path

    def read(self, key: str) -> Any:
        """Return the value of a key; None where there is none that can be read.

        Parameters
        ----------
        key : str
            As of `write`.
        """
        try:
            return _Reader(io.BytesIO((self.folder / key).read_bytes())).load()
        except Exception:  # noqa: BLE001 - a damaged or foreign file raises whatever its bytes happen to mean
            return None

    def write(self, values: Mapping[str, object]) -> None:
        """Keep some values, and none beside them.

        Parameters
        ----------
        values : Mapping[str, object]
            By key; None for what lies there already.

        Raises
        ------
        OutputError
            They cannot be written.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for key, value in values.items():
            if value is not None:
                with whole_file(self.folder / key) as part:
                    part.write_bytes(pickle.dumps(value, protocol=5))
        for path in self.folder.iterdir():
            if path.name not in values:
                path.unlink(missing_ok=True)
