"""Arrays as text inside a page: binary, sorted by byte, compressed, in base 85; equal blocks stand in the page once.

Curves are rounded to a millionth of what each spans, their errors to a thousandth. Positions and forces are whole tenths of a
millimetre and of a newton, as changes of their steps from frame to frame, which compress to a third; missing ones repeat the one
before and are named in a mask beside them.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from biomech_id.algebra.arrays import FloatArray
from biomech_id.values import dataclass, field

#: Steps in which positions (m), forces (N) and the components of segments' axes are written.
POSITION_STEP_M = 1e-4
AXIS_STEP = 1e-3
FORCE_STEP_N = 0.1
#: The most that a curve is rounded by, and the errors of curves, which nobody reads to more digits, as a share of its range.
CURVE_ROUNDING, ERROR_ROUNDING = 1e-6, 1e-3
_LARGEST = 2**31 - 2
#: What makes of deflated bytes a file of gzip, which browsers unpack: the largest window, and 16.
_GZIP = zlib.MAX_WBITS + 16
#: A page's own text: of base 85 the three signs that mean something in HTML, as three that it does not use.
_IN_HTML = str.maketrans("<>&", ",./")


@dataclass
class Block:
    """Arrays that the page unpacks together: those of one trial.

    Attributes
    ----------
    notes : dict[str, dict[str, Any]], optional
        Name of each array -> its ``type``, ``shape``, where it begins (``at``, bytes) and, of steps, their ``step``.
    """

    notes: dict[str, dict[str, Any]] = field(default_factory=dict)
    _parts: list[bytes] = field(default_factory=list)
    _length: int = 0

    def curves(self, name: str, values: npt.NDArray[Any], rounding: float = CURVE_ROUNDING) -> None:
        """Add curves along the last axis, in single precision, each rounded to a share of its range.

        Parameters
        ----------
        name : str
            What the page calls it.
        values : npt.NDArray[Any]
            Any shape; NaN is missing.
        rounding : float, optional
            The most that a value is changed by, as a share of its curve's range.
        """
        single = np.ascontiguousarray(_rounded(values, rounding), dtype="<f4")
        # Neighbours along a smooth curve differ in few of their bits, which saves a quarter of the page; so does the rounding.
        bits = single.view("<i4").astype(np.int64)
        self._add(name, np.diff(bits, axis=-1, prepend=np.zeros_like(bits[..., :1])).astype("<i4") if single.size else single, "f4")

    def steps(self, name: str, values: npt.NDArray[Any], step: float) -> None:
        """Add an array (n, ...) as whole numbers of steps, each frame as its second difference.

        Parameters
        ----------
        name : str
            What the page calls it.
        values : npt.NDArray[Any]
            (n, ...); NaN is missing.
        step : float
            What one is, in the unit of ``values``.
        """
        exact = np.asarray(values, dtype=np.float64)
        missing = ~np.isfinite(exact)
        whole = np.clip(np.round(_held(exact) / step), -_LARGEST, _LARGEST).astype(np.int64)
        # Differences of 32 bits wrap around, and so do their sums; those of differences are smaller still.
        for _ in range(2):
            whole = np.diff(whole, axis=0, prepend=np.zeros_like(whole[:1]))
        differences = whole.astype("<i4")
        self._add(name, differences, "d4", step=step)
        if missing.any():
            self._add(f"{name}?", missing.astype("u1"), "u1")

    def _add(self, name: str, values: npt.NDArray[Any], kind: str, **more: float) -> None:
        self.notes[name] = {"type": kind, "shape": list(values.shape), "at": self._length, **more}
        raw = np.frombuffer(np.ascontiguousarray(values).tobytes(), dtype=np.uint8).reshape(-1, values.dtype.itemsize)
        self._parts.append(raw.T.tobytes())
        self._length += raw.size

    def text(self) -> str:
        """Return everything added, in base 85, a quarter longer than its bytes; the same arrays give the same text."""
        # The level below the highest: a hundredth longer, for a third of the work, which is the longest step of a page.
        compressor = zlib.compressobj(8, zlib.DEFLATED, _GZIP, strategy=zlib.Z_FILTERED)
        packed = compressor.compress(b"".join(self._parts)) + compressor.flush()
        return base64.b85encode(packed).decode("ascii").translate(_IN_HTML)


@dataclass
class Blocks:
    """Every block of a page, each once.

    Attributes
    ----------
    texts : dict[str, str], optional
        Name of a block, which follows from what it holds -> its text.
    """

    texts: dict[str, str] = field(default_factory=dict)

    def add(self, block: Block) -> str:
        """Take a block in, unless an equal one is there; return its name.

        Parameters
        ----------
        block : Block
            With all its arrays.
        """
        text = block.text()
        name = f"b{hashlib.sha256(text.encode('ascii')).hexdigest()[:16]}"
        self.texts[name] = text
        return name


def _rounded(values: npt.NDArray[Any], rounding: float) -> FloatArray:
    """Each curve in whole steps of a power of two, so that single precision has zeros at its end."""
    curves = np.asarray(values, dtype=np.float64)
    known = np.where(np.isfinite(curves), curves, np.nan)
    if not curves.size:
        return curves
    span = np.fmax.reduce(known, axis=-1, keepdims=True) - np.fmin.reduce(known, axis=-1, keepdims=True)
    # A curve of one value, or of none, is kept as it is.
    step = np.exp2(np.floor(np.log2(2.0 * rounding * np.where(span > 0, span, np.nan))))
    return np.where(span > 0, np.round(curves / step) * step, curves)


def _held(values: FloatArray) -> FloatArray:
    """Each missing number as the last one before it that is there, or zero."""
    n = len(values)
    if not values.size:
        return values
    flat = values.reshape(n, -1)
    seen = np.isfinite(flat)
    last = np.maximum.accumulate(np.where(seen, np.arange(n)[:, None], -1), axis=0)
    picked = np.take_along_axis(flat, np.maximum(last, 0), axis=0)
    return np.where(last >= 0, picked, 0.0).reshape(values.shape)
