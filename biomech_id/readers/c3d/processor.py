"""Number formats of the three processors a C3D file may come from.

Byte 4 of the parameter section names the processor (C3D user guide, "Parameter section header"): 84 Intel (little-endian,
IEEE floats), 85 DEC (little-endian integers, VAX F floats), 86 SGI/MIPS (big-endian, IEEE floats).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError

#: Bytes to decode.
Buffer = bytes | bytearray | memoryview


class Processor(IntEnum):
    """Processor byte of the parameter section."""

    PC = 84
    DEC = 85
    SGI = 86

    @property
    def endian(self) -> str:
        """NumPy's byte-order character for integers."""
        return ">" if self is Processor.SGI else "<"

    def integers(self, buffer: Buffer, *, offset: int = 0, count: int = -1) -> NDArray[np.int16]:
        """Return signed 16-bit words.

        Parameters
        ----------
        buffer : Buffer
            Bytes of the file; may be longer than what is read.
        offset : int, optional
            Where to begin, bytes.
        count : int, optional
            How many; -1 for all.

        Returns
        -------
        NDArray[np.int16]
            (count,), native byte order.
        """
        return np.frombuffer(buffer, dtype=f"{self.endian}i2", offset=offset, count=count).astype(np.int16, copy=False)

    def words(self, buffer: Buffer, *, offset: int = 0, count: int = -1) -> NDArray[np.int64]:
        """Return unsigned 16-bit words.

        Parameters
        ----------
        buffer : Buffer
            Bytes of the file; may be longer than what is read.
        offset : int, optional
            Where to begin, bytes.
        count : int, optional
            How many; -1 for all.

        Returns
        -------
        NDArray[np.int64]
            (count,), 0 to 65535.
        """
        return np.frombuffer(buffer, dtype=f"{self.endian}u2", offset=offset, count=count).astype(np.int64)

    def floats(self, buffer: Buffer, *, offset: int = 0, count: int = -1) -> NDArray[np.float32]:
        """Return 32-bit floats.

        Parameters
        ----------
        buffer : Buffer
            Bytes of the file; may be longer than what is read.
        offset : int, optional
            Where to begin, bytes.
        count : int, optional
            How many; -1 for all.

        Returns
        -------
        NDArray[np.float32]
            (count,), IEEE, native byte order; VAX floats are converted.
        """
        if self is Processor.DEC:
            words = np.frombuffer(buffer, dtype="<u2", offset=offset, count=2 * count if count >= 0 else -1)
            return _ieee_from_vax(words)
        return np.frombuffer(buffer, dtype=f"{self.endian}f4", offset=offset, count=count).astype(np.float32, copy=False)

    def number(self, buffer: Buffer, offset: int) -> float:
        """Return the 32-bit float at a byte offset.

        Parameters
        ----------
        buffer : Buffer
            Bytes of the file, at least four behind the offset.
        offset : int
            Where to begin, bytes.

        Returns
        -------
        float
            As stored; may be NaN or infinite.
        """
        return float(self.floats(buffer, offset=offset, count=1)[0])

    def pack_floats(self, values: FloatArray | NDArray[np.float32]) -> bytes:
        """Return 32-bit floats as this processor stores them.

        Parameters
        ----------
        values : FloatArray | NDArray[np.float32]
            Numbers of any shape, flattened in C order.

        Returns
        -------
        bytes
            Four for each number.
        """
        ieee = np.ascontiguousarray(values, dtype="<f4")
        if self is Processor.DEC:
            return _vax_from_ieee(ieee).tobytes()
        return ieee.astype(f"{self.endian}f4").tobytes()

    def pack_words(self, values: Any) -> bytes:
        """Return 16-bit words as this processor stores them.

        Parameters
        ----------
        values : Any
            Integers, one or many; negative ones are stored in two's complement, larger ones lose their high bits.

        Returns
        -------
        bytes
            Two for each number.
        """
        return (np.atleast_1d(np.asarray(values, dtype=np.int64)) & 0xFFFF).astype(f"{self.endian}u2").tobytes()


def processor_of(byte: int, *, where: str) -> Processor:
    """Return the processor a byte stands for.

    Parameters
    ----------
    byte : int
        As stored in the parameter section.
    where : str
        The file or trial concerned, for the error message.

    Returns
    -------
    Processor
        Which of the three formats the file's numbers have.

    Raises
    ------
    FileRefusedError
        For any other byte.
    """
    try:
        return Processor(byte)
    except ValueError:
        raise FileRefusedError(
            f"{where} names an unknown processor ({byte}) in its parameter section: it is damaged, or not a C3D file.",
            value=byte, expected="84 (PC), 85 (DEC) or 86 (SGI)", where=where,
        ) from None  # fmt: skip


def _ieee_from_vax(words: NDArray[np.uint16]) -> NDArray[np.float32]:
    """Convert VAX F floats, given as pairs of little-endian words.

    The first word holds sign, exponent (excess 128, mantissa in [0.5, 1)) and the high mantissa bits, the second the low
    ones: with the words exchanged the bits are those of an IEEE float four times as large.
    """
    pairs = words.reshape(-1, 2).astype(np.uint32)
    bits = (pairs[:, 0] << np.uint32(16)) | pairs[:, 1]
    values = bits.view(np.float32) * np.float32(0.25)
    # Exponent 255 is an ordinary large number on a VAX and would be infinite here; exponent 0 is zero whatever the mantissa.
    exponent = (bits >> np.uint32(23)) & np.uint32(0xFF)
    values[exponent == 0] = 0.0
    largest = exponent == 255
    if largest.any():
        lowered = (bits[largest] - np.uint32(2 << 23)).view(np.float32)
        values[largest] = lowered
    return values


def _vax_from_ieee(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    bits = (values.ravel() * np.float32(4.0)).astype("<f4").view(np.uint32)
    pairs = np.empty((bits.size, 2), dtype="<u2")
    pairs[:, 0] = bits >> np.uint32(16)
    pairs[:, 1] = bits & np.uint32(0xFFFF)
    return pairs
