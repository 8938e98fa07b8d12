"""A C3D file as it lies on the disk, read straight from the format description: it shares nothing with the library."""

from __future__ import annotations

import struct
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np


class Raw:
    """Header words, parameters, points and channels of one file, in its own units and axes."""

    def __init__(self, path: Path) -> None:
        self.path, self.data = path, path.read_bytes()
        self.section = (self.data[0] - 1) * 512
        self.processor = self.data[self.section + 3]
        self.order = ">" if self.processor == 86 else "<"
        self.words = np.frombuffer(self.data[:512], f"{self.order}u2")

    # What the header says.

    @property
    def n_points(self) -> int:
        return int(self.words[1])

    @property
    def samples(self) -> int:
        return int(self.words[9])

    @property
    def n_channels(self) -> int:
        return int(self.words[2]) // self.samples if self.samples else 0

    @property
    def first_frame(self) -> int:
        return int(self.words[3])

    @property
    def stated_frames(self) -> int:
        return int(self.words[4]) - self.first_frame + 1

    @property
    def data_start(self) -> int:
        return (int(self.words[8]) - 1) * 512

    @property
    def scale(self) -> float:
        return float(self.floats(self.data[12:16])[0])

    @property
    def rate_hz(self) -> float:
        return float(self.floats(self.data[20:24])[0])

    @property
    def header_events(self) -> list[tuple[str, float]]:
        if self.words[149] != 0x3039:
            return []
        n = int(self.words[150])
        times = self.floats(self.data[304 : 304 + 4 * n])
        return [(self.data[396 + 4 * i : 400 + 4 * i].decode("latin-1").strip(" \0"), float(times[i])) for i in range(n)]

    def floats(self, raw: bytes) -> np.ndarray:
        if self.processor != 85:
            return np.frombuffer(raw, f"{self.order}f4").astype(float)
        halves = np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1]
        return np.ascontiguousarray(halves).view("<f4").ravel().astype(float) / 4.0

    # Parameters.

    @cached_property
    def records(self) -> list[tuple[int, int, str, int, int, int]]:
        """(start, group, name, where the data begin, where the record says the next begins, where it ends itself)."""
        found, at = [], self.section + 4
        while at + 2 < len(self.data):
            length, group = struct.unpack("bb", self.data[at : at + 2])
            if length == 0 or group == 0:
                break
            here = at + 2 + abs(length)
            step = struct.unpack(self.order + "H", self.data[here : here + 2])[0]
            body = here + 2
            end = body if group < 0 else self._typed(body)[1]
            end += 1 + self.data[end]
            found.append((at, group, self.data[at + 2 : here].decode("latin-1"), body, here + step, end))
            if step == 0:
                break
            at = here + step
            if not self.section < at < max(self.data_start, self.section + 1024):
                at = end
        return found

    def _typed(self, at: int) -> tuple[tuple[Any, ...], int]:
        kind, dims = struct.unpack("b", self.data[at : at + 1])[0], tuple(self.data[at + 2 : at + 2 + self.data[at + 1]])
        begin = at + 2 + len(dims)
        size = abs(kind) * int(np.prod(dims, dtype=int))
        raw, end = self.data[begin : begin + size], begin + size
        if kind == -1:
            width = max(dims[0] if dims else 1, 1)
            return tuple(raw[i : i + width].decode("latin-1").strip(" \0") for i in range(0, len(raw), width)), end
        if kind == 4:
            return tuple(self.floats(raw).tolist()), end
        return tuple(np.frombuffer(raw, "i1" if kind == 1 else f"{self.order}i2").tolist()), end

    @cached_property
    def parameters(self) -> dict[str, tuple[Any, ...]]:
        """ "GROUP:NAME" in upper case -> values, texts without padding."""
        names = {-group: name.upper() for _, group, name, *_ in self.records if group < 0}
        return {
            f"{names[group]}:{name.upper()}": self._typed(body)[0]
            for _, group, name, body, *_ in self.records
            if group > 0 and group in names
        }

    def joined(self, name: str) -> list[Any]:
        """Values of NAME, NAME2, NAME3..."""
        found, number = list(self.parameters.get(name, ())), 2
        while f"{name}{number}" in self.parameters:
            found += self.parameters[f"{name}{number}"]
            number += 1
        return found

    def number(self, name: str) -> float | None:
        values = self.parameters.get(name, ())
        return float(values[0]) if values and not isinstance(values[0], str) else None

    @property
    def labels(self) -> list[str]:
        return self.joined("POINT:LABELS")

    @property
    def length_m(self) -> float:
        """Metres per unit as stated."""
        return {"mm": 1e-3, "cm": 1e-2, "m": 1.0}.get(str((*self.parameters.get("POINT:UNITS", ()), "")[0]).lower(), 1e-3)

    # Numbers.

    @cached_property
    def _frames(self) -> np.ndarray:
        size = 4 if self.scale < 0 else 2
        width = 4 * self.n_points + self.n_channels * self.samples
        n = min(self.stated_frames if self.stated_frames > 0 else 10**9, (len(self.data) - self.data_start) // max(1, width * size))
        raw = self.data[self.data_start : self.data_start + n * width * size]
        numbers = self.floats(raw) if self.scale < 0 else np.frombuffer(raw, f"{self.order}i2").astype(float)
        return numbers.reshape(n, width)

    @property
    def n_frames(self) -> int:
        return len(self._frames)

    @cached_property
    def stored(self) -> np.ndarray:
        """(n_frames, points, 4), positions in the file's unit and the residual."""
        points = self._frames[:, : 4 * self.n_points].reshape(self.n_frames, self.n_points, 4).copy()
        if self.scale > 0:
            points[..., :3] *= self.scale
        return points

    @cached_property
    def points(self) -> np.ndarray:
        """(n_frames, points, 3), file axes and unit; NaN where a point is marked as not measured, or lies exactly at the origin."""
        positions = self.stored[..., :3].copy()
        with np.errstate(invalid="ignore"):
            missing = (self.stored[..., 3] < 0) | (positions == 0).all(axis=2) | ~np.isfinite(positions).all(axis=2)
        positions[missing] = np.nan
        return positions

    def path_of(self, label: str) -> np.ndarray:
        """(n_frames, 3) of the point with a label; of a label's second point LABEL_2; with or without a subject's prefix."""
        bare = [name.split(":")[-1] if ":" in name else name for name in self.labels[: self.n_points]]
        base, _, number = label.rpartition("_")
        for names in (self.labels[: self.n_points], bare):
            if label in names:
                return self.points[:, names.index(label)]
            if number.isdigit() and names.count(base) >= int(number):
                return self.points[:, [i for i, name in enumerate(names) if name == base][int(number) - 1]]
        raise KeyError(label)

    @cached_property
    def analog(self) -> np.ndarray:
        """(n_samples, channels), calibrated."""
        n = self.n_channels
        stored = self._frames[:, 4 * self.n_points :].reshape(-1, n) if n else np.zeros((0, 0))
        if "UNSIGNED" in (*self.parameters.get("ANALOG:FORMAT", ()), "") and self.scale > 0:
            stored = np.where(stored < 0, stored + 65536, stored)
        offset, scale = (
            np.array([*self.joined(f"ANALOG:{name}"), *[fill] * n][:n], float) for name, fill in (("OFFSET", 0), ("SCALE", 1))
        )
        if "UNSIGNED" in (*self.parameters.get("ANALOG:FORMAT", ()), ""):
            offset = np.where(offset < 0, offset + 65536, offset)
        return (stored - offset) * scale * (self.number("ANALOG:GEN_SCALE") or 1.0)

    @property
    def n_plates(self) -> int:
        return int(self.number("FORCE_PLATFORM:USED") or 0)

    def plate_type(self, index: int) -> int:
        return int(self.parameters["FORCE_PLATFORM:TYPE"][index])

    def corners(self, index: int) -> np.ndarray:
        """(4, 3), file axes and unit."""
        return np.array(self.parameters["FORCE_PLATFORM:CORNERS"][12 * index : 12 * index + 12], float).reshape(4, 3)

    def plate_channels(self, index: int) -> np.ndarray:
        """(n_samples, 6 or 8), those of one plate, with the calibration matrix of type 4 applied."""
        numbers = self.parameters["FORCE_PLATFORM:CHANNEL"]
        per_plate = len(numbers) // self.n_plates
        columns = [int(c) - 1 for c in numbers[per_plate * index : per_plate * (index + 1)] if c > 0]
        channels = self.analog[:, columns]
        if self.plate_type(index) == 4:
            matrix = np.array(self.parameters["FORCE_PLATFORM:CAL_MATRIX"][36 * index : 36 * index + 36], float).reshape(6, 6).T
            channels = channels[:, :6] @ matrix.T
        return channels

    def force(self, index: int) -> np.ndarray:
        """(n_samples, 3), plate axes, as stored."""
        channels = self.plate_channels(index)
        if self.plate_type(index) == 3:
            return np.stack([channels[:, :2].sum(axis=1), channels[:, 2:4].sum(axis=1), channels[:, 4:8].sum(axis=1)], axis=1)
        return channels[:, :3]

    @property
    def events(self) -> list[tuple[str, str, float]]:
        """(label, context, time) of the EVENT group."""
        n = int(self.number("EVENT:USED") or 0)
        labels, contexts = self.joined("EVENT:LABELS"), [*self.joined("EVENT:CONTEXTS"), *[""] * n]
        times = np.array(self.joined("EVENT:TIMES"), float).reshape(-1, 2)
        return [(labels[i], contexts[i], float(60.0 * times[i, 0] + times[i, 1])) for i in range(min(n, len(times), len(labels)))]


@cache
def raw(path: Path) -> Raw:
    """The file, read once."""
    return Raw(path)
