"""What the reading process and its parent say to each other: values of this package as data, never as a program.

A message is a count, that many lengths (8 bytes each, little-endian), then that many byte strings: JSON, and the arrays that it
refers to by number. A process that a damaged file has taken over can send wrong numbers, and nothing that runs: what comes out is
made of numbers, texts, arrays, paths, and of the values and errors that this package declares.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from biomech_id.errors import BiomechError, FileRefusedError

#: Where the classes of values and errors are declared.
_PACKAGE = "biomech_id."
_COLLECTIONS: dict[str, Callable[[Any], object]] = {"tuple": tuple, "set": set, "frozenset": frozenset, "dict": dict}
#: Of an array's numbers: floats, integers, truth values, and bytes; no objects.
_KINDS = "fiub"

#: What numbers too large, nesting too deep and values that are none end in.
_NO_MESSAGE = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, ImportError, ArithmeticError, RecursionError, MemoryError,
    struct.error,
)  # fmt: skip


def send(stream: BinaryIO, message: object) -> None:
    """Write one message.

    Parameters
    ----------
    stream : BinaryIO
        Pipe to the other process; it is flushed.
    message : object
        Numbers, texts, arrays, paths, collections of them, and values and errors of this package.

    Raises
    ------
    TypeError
        Something else is in it.
    """
    arrays: list[np.ndarray[Any, Any]] = []
    body = json.dumps(_encoded(message, arrays, {})).encode("ascii")
    parts = [memoryview(body), *(array.ravel("K").view(np.uint8).data for array in arrays)]
    stream.write(struct.pack(f"<{len(parts) + 1}Q", len(parts), *(part.nbytes for part in parts)))
    for part in parts:
        stream.write(part)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message.

    Parameters
    ----------
    stream : BinaryIO
        Pipe from the other process; waits until a whole message has come.

    Returns
    -------
    Any
        What `send` was given; its arrays are read-only.

    Raises
    ------
    EOFError
        The other side has closed the stream or ended.
    FileRefusedError
        What came is no message.
    """
    try:
        (count,) = struct.unpack("<Q", _exactly(stream, 8))
        lengths = struct.unpack(f"<{count}Q", _exactly(stream, 8 * count))
        body, *buffers = [_exactly(stream, length) for length in lengths]
        return _decoded(json.loads(body), buffers)
    except _NO_MESSAGE as reason:
        if isinstance(reason, BiomechError):
            raise
        raise FileRefusedError(
            f"The process that reads untrusted files answered with something that is no recording ({type(reason).__name__}).",
            value=type(reason).__name__, expected="a recording or an error", where="sandbox",
        ) from reason  # fmt: skip


def _exactly(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise EOFError
    return data


def _encoded(value: object, arrays: list[np.ndarray[Any, Any]], known: dict[int, int]) -> object:
    """A value as JSON holds it; arrays are put into ``arrays``, each once."""
    if value is None or (isinstance(value, bool | int | float | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, list):
        return [_encoded(each, arrays, known) for each in value]
    kind = type(value)
    if isinstance(value, np.generic):
        return _encoded(value.item(), arrays, known)
    if isinstance(value, np.ndarray) and value.dtype.kind in _KINDS:
        number = known.setdefault(id(value), len(arrays))
        column_major = value.flags.f_contiguous and not value.flags.c_contiguous
        if number == len(arrays):
            arrays.append(value if column_major else np.ascontiguousarray(value))
        return {"array": [number, value.dtype.str, list(value.shape), "F" if column_major else "C"]}
    if isinstance(value, Mapping):
        return {"dict": [[_encoded(key, arrays, known), _encoded(each, arrays, known)] for key, each in value.items()]}
    if kind.__name__ in _COLLECTIONS:
        assert isinstance(value, tuple | set | frozenset)
        return {kind.__name__: [_encoded(each, arrays, known) for each in value]}
    if isinstance(value, Path):
        return {"path": str(value)}
    name = f"{kind.__module__}:{kind.__qualname__}"
    if isinstance(value, Enum):
        return {"enum": [name, value.value]}
    if isinstance(value, BiomechError):
        parts = (value.message, value.value, value.expected, value.where, getattr(value, "__notes__", []))
        return {"error": [name, *(_encoded(each, arrays, known) for each in parts)]}
    if not is_dataclass(value):
        raise TypeError(f"{kind.__name__} is no value that passes between processes")
    held = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    return {"value": [name, {field: _encoded(each, arrays, known) for field, each in held.items()}]}


def _decoded(encoded: Any, buffers: Sequence[bytes]) -> Any:
    """The value that `_encoded` was made of."""
    if isinstance(encoded, list):
        return [_decoded(each, buffers) for each in encoded]
    if not isinstance(encoded, dict):
        return encoded
    ((kind, content),) = encoded.items()
    if kind in _COLLECTIONS:
        return _COLLECTIONS[kind](tuple(_decoded(each, buffers)) if kind == "dict" else _decoded(each, buffers) for each in content)
    if kind == "array":
        number, dtype, shape, order = content
        if np.dtype(dtype).kind not in _KINDS:
            raise TypeError(dtype)
        return np.frombuffer(buffers[number], dtype=dtype).reshape(shape, order=order)
    if kind == "path":
        return Path(content)
    declared = _declared(content[0])
    if kind == "enum" and issubclass(declared, Enum):
        return declared(content[1])
    if kind == "error" and issubclass(declared, BiomechError):
        message, value, expected, where, notes = (_decoded(each, buffers) for each in content[1:])
        error = declared(message, value=value, expected=expected, where=where)
        for note in notes:
            error.add_note(note)
        return error
    if kind == "value" and is_dataclass(declared):
        return declared(**{name: _decoded(each, buffers) for name, each in content[1].items()})
    raise TypeError(kind)


def _declared(name: str) -> type:
    """The class of this package that a message names."""
    module, _, qualified = name.partition(":")
    if not module.startswith(_PACKAGE):
        raise TypeError(name)
    declared = getattr(import_module(module), qualified)
    if not isinstance(declared, type) or declared.__module__ != module:
        raise TypeError(name)
    return declared
