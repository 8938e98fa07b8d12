"""A C3D parser of the tests' own, straight from the format description; slow, small, and shares nothing with the library.

Understands PC and SGI floats and integers, and DEC through its word order.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any


def _number(raw: bytes, kind: str, processor: int) -> float:
    order = ">" if processor == 86 else "<"
    if kind == "f" and processor == 85:
        low, high = struct.unpack("<HH", raw)
        return struct.unpack("<f", struct.pack("<HH", high, low))[0] / 4.0
    return struct.unpack(order + kind, raw)[0]


def parse(path: Path) -> dict[str, Any]:
    """``groups`` name -> {name: (type, dims, values)}, ``frames`` a list of [point quadruples, analog values] per frame.

    ``notes``: (group, parameter, or "" for the group itself) -> its description.
    """
    data = path.read_bytes()
    at = (data[0] - 1) * 512
    processor = data[at + 3]
    words = [_number(data[2 * i : 2 * i + 2], "H", processor) for i in range(256)]
    groups, notes, by_id, position = {}, {}, {}, at + 4
    loose = []
    while True:
        length, group_id = struct.unpack("bb", data[position : position + 2])
        if length == 0 or group_id == 0:
            break
        name = data[position + 2 : position + 2 + abs(length)].decode("latin-1").upper()
        here = position + 2 + abs(length)
        step = _number(data[here : here + 2], "H", processor)
        if group_id < 0:
            by_id[-group_id] = name
            groups.setdefault(name, {})
            notes[name, ""] = _note(data, here + 2)
        else:
            loose.append((group_id, name, here + 2))
        if step == 0:
            break
        position = int(here + step)
    for group_id, name, start in loose:
        if group_id in by_id:
            groups[by_id[group_id]][name], end = _parameter(data, start, processor)
            notes[by_id[group_id], name] = _note(data, end)
    return {
        "processor": processor,
        "groups": groups,
        "notes": notes,
        "frames": _frames(data, words, processor),
        "events": data[298:440],
    }


def _note(data: bytes, at: int) -> bytes:
    """A description: its length in a byte, then its text."""
    return data[at + 1 : at + 1 + data[at]]


def _parameter(data: bytes, at: int, processor: int) -> tuple[tuple[int, tuple[int, ...], tuple[Any, ...]], int]:
    """(type, dimensions, values), and the byte behind them."""
    (kind,), n_dims = struct.unpack("b", data[at : at + 1]), data[at + 1]
    dims = tuple(data[at + 2 : at + 2 + n_dims])
    size, count = abs(kind), 1
    for dim in dims:
        count *= dim
    begin, end = at + 2 + n_dims, at + 2 + n_dims + count * size
    raw = data[begin:end]
    if kind == -1:
        width = dims[0] if dims else 1
        return (kind, dims, tuple(raw[i : i + width].rstrip() for i in range(0, len(raw), max(width, 1)))), end
    code = {1: "b", 2: "h", 4: "f"}[kind]
    return (kind, dims, tuple(_number(raw[i : i + size], code, processor) for i in range(0, len(raw), size))), end


def _frames(data: bytes, words: list[float], processor: int) -> list[tuple[list[tuple[float, ...]], list[float]]]:
    points, analog, first, last, block = (int(words[i]) for i in (1, 2, 3, 4, 8))
    scale = _number(data[12:16], "f", processor)
    kind, size = ("f", 4) if scale < 0 else ("h", 2)
    frames, at = [], (block - 1) * 512
    for _ in range(last - first + 1):
        values = [_number(data[at + i * size : at + (i + 1) * size], kind, processor) for i in range(4 * points + analog)]
        at += size * len(values)
        factor = 1.0 if kind == "f" else scale
        quads = [(*(v * factor for v in values[4 * p : 4 * p + 3]), values[4 * p + 3] < 0) for p in range(points)]
        frames.append((quads, values[4 * points :]))
    return frames
