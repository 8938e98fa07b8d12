"""A C3D writer of the tests' own, from the format description: it shares no code with the reader it feeds.

`healthy()` is a person who slides over a force plate at 2 m/s: every number plausible, no finding above "info". Tests break one
thing in it and look at what the reader says.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

BLOCK_BYTES = 512
PC, DEC, SGI = 84, 85, 86

#: Standing pose (mm): forward, left, up.
POSE_MM = {
    "SACR": (-80, 0, 950), "C7": (-60, 0, 1400),
    **{side + name: (x, y if side == "L" else -y, z) for side in "LR" for name, x, y, z in (
        ("ASI", 80, 120, 940), ("THI", 20, 150, 700), ("KNE", 0, 130, 480), ("TIB", 10, 130, 300), ("ANK", 0, 110, 90),
        ("HEE", -60, 90, 50), ("TOE", 130, 100, 45),
    )},
}  # fmt: skip
CORNERS_MM = [[300.0, -250.0, 0.0], [-300.0, -250.0, 0.0], [-300.0, 250.0, 0.0], [300.0, 250.0, 0.0]]
RATE_HZ, RATIO, FRAMES = 100.0, 10, 100
WEIGHT_N = 700.0
MASS_KG, HEIGHT_MM = 71.4, 1750.0


@dataclass
class C3D:
    """A file in the making. ``points`` (n, p, 4) with the residual last, ``analog`` (n * ratio, c), both as stored."""

    groups: dict[str, dict[str, Any]]
    points: np.ndarray
    analog: np.ndarray
    first_frame: int = 1
    rate_hz: float = RATE_HZ
    ratio: int = RATIO
    processor: int = PC
    is_float: bool = True
    scale: float = -0.1
    header: dict[str, Any] = field(default_factory=dict)
    header_events: list[tuple[str, float]] = field(default_factory=list)
    drop_bytes: int = 0
    stray_parameter: bool = False

    def labels(self) -> list[str]:
        return list(self.groups["POINT"]["LABELS"])

    def path(self, label: str) -> np.ndarray:
        """Positions of one marker, (n, 3), to be changed in place."""
        return self.points[:, self.labels().index(label), :3]

    def endian(self) -> str:
        return ">" if self.processor == SGI else "<"

    def floats(self, values: Any) -> bytes:
        array = np.asarray(values, dtype=np.float32).ravel()
        if self.processor == DEC:
            words = (array * 4).astype("<f4").view("<u2").reshape(-1, 2)[:, ::-1]
            return np.ascontiguousarray(words).tobytes()
        return array.astype(self.endian() + "f4").tobytes()

    def integers(self, values: Any) -> bytes:
        return (np.atleast_1d(values).astype(np.int64) & 0xFFFF).astype(self.endian() + "u2").tobytes()

    def parameter(self, name: str, group_id: int, value: Any) -> bytes:
        if isinstance(value, tuple):  # (type, dims, raw bytes): written as it is
            kind, dims, raw = value
        elif isinstance(value, str | list) and (isinstance(value, str) or (value and isinstance(value[0], str | bytes))):
            rows = [v if isinstance(v, bytes) else v.encode() for v in ([value] if isinstance(value, str) else value)]
            width = max(map(len, rows), default=1) or 1
            kind, dims, raw = -1, [width, len(rows)], b"".join(row.ljust(width) for row in rows)
        else:
            array = np.asarray(value)
            dims = [int(n) for n in reversed(array.shape)]
            kind, raw = (4, self.floats(array)) if array.dtype.kind == "f" else (2, self.integers(array))
        body = struct.pack("<bB", kind, len(dims)) + bytes(dims) + raw
        return self.record(name, group_id, body)

    def record(self, name: str, group_id: int, body: bytes = b"") -> bytes:
        """A group (without body) or a parameter, with a description."""
        note = f"about {name}".encode()
        following = self.integers([2 + len(body) + 1 + len(note)])
        return bytes([len(name), group_id]) + name.encode() + following + body + bytes([len(note)]) + note

    def section(self, data_block: int) -> bytes:
        pieces = []
        for number, (group, parameters) in enumerate(self.groups.items(), start=1):
            pieces.append(self.record(group, 256 - number))
            for name, value in parameters.items():
                value = data_block if (group, name) == ("POINT", "DATA_START") and value is None else value
                pieces.append(self.parameter(name, number, value))
        if self.stray_parameter:
            pieces.append(self.parameter("NOWHERE", 99, 1))
        body = b"".join(pieces) + b"\0\0"
        blocks = -(-(4 + len(body)) // BLOCK_BYTES)
        return (bytes([1, 80, blocks, self.processor]) + body).ljust(blocks * BLOCK_BYTES, b"\0")

    def data(self) -> bytes:
        n, points = len(self.points), self.points
        analog = self.analog.reshape(n, -1) if self.analog.size else np.zeros((n, 0))
        if self.is_float:
            return self.floats(np.concatenate([points.reshape(n, -1), analog], axis=1))
        stored = points.copy()
        stored[..., :3] = np.round(stored[..., :3] / self.scale)
        return self.integers(np.concatenate([stored.reshape(n, -1), analog], axis=1))

    def to_bytes(self) -> bytes:
        data_block = len(self.section(0)) // BLOCK_BYTES + 2
        n, channels = len(self.points), self.analog.shape[1] if self.analog.size else 0
        head = {
            "points": self.points.shape[1], "analog": channels * self.ratio, "first": self.first_frame,
            "last": self.first_frame + n - 1, "data_block": data_block, "samples": self.ratio if channels else 0,
            "scale": self.scale, "rate": self.rate_hz,
        } | self.header  # fmt: skip
        words = [head["points"], head["analog"], head["first"], head["last"], 0]
        header = bytes([2, 80]) + self.integers(words) + self.floats([head["scale"]])
        header += self.integers([head["data_block"], head["samples"]]) + self.floats([head["rate"]])
        header = bytearray(header.ljust(BLOCK_BYTES, b"\0"))
        if self.header_events:
            header[298:302] = self.integers([0x3039, len(self.header_events)])
            for i, (label, time) in enumerate(self.header_events):
                header[304 + 4 * i : 308 + 4 * i] = self.floats([time])
                header[396 + 4 * i : 400 + 4 * i] = label.encode().ljust(4)
        data = self.data()
        data += b"\0" * (-len(data) % BLOCK_BYTES)
        content = bytes(header) + self.section(data_block) + data
        return content[: len(content) - self.drop_bytes]

    def write(self, path: Path) -> Path:
        path.write_bytes(self.to_bytes())
        return path


def healthy() -> C3D:
    """A person of 71.4 kg sliding along x over one type 2 plate, feet 0.8 m around the origin during contact."""
    x_mm = np.linspace(-1000.0, 1000.0, FRAMES)
    pose = np.array(list(POSE_MM.values()), dtype=float)
    points = np.zeros((FRAMES, len(pose), 4))
    points[..., :3] = pose + x_mm[:, None, None] * [1.0, 0.0, 0.0]
    # The foot of a walker comes and goes; 1 mm of sway keeps every marker moving in every direction.
    points[..., 1] += np.sin(np.arange(FRAMES) / 5.0)[:, None]
    analog = np.zeros((FRAMES * RATIO, 6))
    x_fine_mm = np.interp(np.arange(FRAMES * RATIO) / RATIO, np.arange(FRAMES), x_mm)
    on = np.abs(x_fine_mm) < 200.0
    # Plate axes: x along the lab's, z down, y against the lab's. A reaction up is -z; its CoP x gives My = -Fz x.
    load = WEIGHT_N * np.cos(x_fine_mm[on] / 200.0 * 1.2)
    analog[on, 2] = -load
    analog[on, 4] = load * x_fine_mm[on]
    labels = list(POSE_MM)
    groups = {
        "POINT": {
            "USED": len(labels), "SCALE": -0.1, "RATE": RATE_HZ, "DATA_START": None, "FRAMES": FRAMES, "UNITS": "mm",
            "LABELS": labels, "X_SCREEN": "+X", "Y_SCREEN": "+Z",
        },
        "ANALOG": {
            "USED": 6, "RATE": RATE_HZ * RATIO, "GEN_SCALE": 1.0, "SCALE": [1.0] * 6, "OFFSET": [0] * 6,
            "UNITS": ["N", "N", "N", "Nmm", "Nmm", "Nmm"], "LABELS": ["Fx1", "Fy1", "Fz1", "Mx1", "My1", "Mz1"],
        },
        "FORCE_PLATFORM": {
            "USED": 1, "TYPE": [2], "ZERO": [1, 0], "CORNERS": [CORNERS_MM], "ORIGIN": [[0.0, 0.0, 0.0]],
            "CHANNEL": [[1, 2, 3, 4, 5, 6]],
        },
        "EVENT": {
            "USED": 2, "CONTEXTS": ["Left", "Left"], "LABELS": ["Foot Strike", "Foot Off"], "TIMES": [[0.0, 0.40], [0.0, 0.60]],
        },
        "PROCESSING": {"Bodymass": MASS_KG, "Height": HEIGHT_MM},
    }  # fmt: skip
    return C3D(groups, points, analog)
