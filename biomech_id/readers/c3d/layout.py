"""How the data of a C3D file is laid out: header, parameters and the bytes that are there must agree, and the bytes decide.

A file says most things twice (points, analog channels, rate, scale, first byte of the data, frames). Each combination of what
header and parameters say is compared with the number of bytes that follow; the one that fills the file is the truth. Without
a combination that fits, a disagreement ends in a refusal: reading on would put every marker in a wrong place.
"""

from __future__ import annotations

from itertools import product
from math import ceil, isfinite
from typing import TypeVar

from biomech_id.errors import FileRefusedError
from biomech_id.readers.c3d.header import BLOCK_BYTES, Header
from biomech_id.readers.c3d.parameters import Parameters
from biomech_id.readers.c3d.rotation_block import RotationBlock, find_rotations
from biomech_id.readers.source import FileFindings
from biomech_id.values import dataclass

#: Files are padded to a whole block; some writers add one more.
PADDING_BYTES = 2 * BLOCK_BYTES
SLOWEST_HZ, FASTEST_HZ = 0.5, 100_000.0
#: Header words are 16 bits: a longer recording stops counting here.
CLIPPED_FRAME = 65535
RELATIVE_TOLERANCE = 1e-3
_T = TypeVar("_T")


@dataclass(frozen=True)
class Layout:
    """Where every number of the data section lies.

    ``samples`` is the number of analog samples per video frame; ``start`` the byte offset of the first frame.
    ``n_frames`` are there; ``frames_promised`` were promised.

    Attributes
    ----------
    points : int
        Number of points in a frame; four words each.
    channels : int
        Number of analog channels.
    samples : int
        Analog samples in a video frame.
    is_float : bool
        Whether numbers are floats.
    scale : float
        POINT:UNITS per stored integer; -1 where points are floats.
    start : int
        Byte at which the data begin.
    first_frame : int
        Number of the first frame in the file, counted from 1.
    n_frames : int
        Number of frames that are there.
    frames_promised : int
        Number that the file says.
    rate_hz : float
        Video frames per second.
    poses : RotationBlock | None, optional
        Where poses of segments lie; None for a file without any.
    """

    points: int
    channels: int
    samples: int
    is_float: bool
    scale: float
    start: int
    first_frame: int
    n_frames: int
    frames_promised: int
    rate_hz: float
    poses: RotationBlock | None = None

    @property
    def words_per_frame(self) -> int:
        """Numbers per video frame."""
        return 4 * self.points + self.channels * self.samples

    @property
    def analog_rate_hz(self) -> float:
        """Analog samples per second."""
        return self.rate_hz * self.samples


@dataclass(frozen=True)
class _Guess:
    """One combination of what the file says, and how well it fills the bytes that are there."""

    counts: tuple[int, int, int]
    is_float: bool
    start: int
    frames: int
    available: int

    @property
    def frame_bytes(self) -> int:
        points, channels, samples = self.counts
        return (4 * points + channels * samples) * (4 if self.is_float else 2)

    @property
    def fit(self) -> int:
        """2:
        fills the file but for its padding; 1: fits with bytes to spare; 0: the data is shorter.
        """
        if self.frame_bytes == 0 or self.frames < 1:
            return -1
        spare = self.available - self.start - self.frames * self.frame_bytes
        return 0 if spare < 0 else 2 if spare <= PADDING_BYTES else 1


def find_layout(header: Header, parameters: Parameters, data: bytes, findings: FileFindings) -> Layout:
    """Return where every number of a file lies.

    Parameters
    ----------
    header : Header
        Asked first where it and the parameters contradict each other.
    parameters : Parameters
        Of the same file.
    data : bytes
        The whole file; only its length and last block decide.
    findings : FileFindings
        Takes contradictions that were settled, and data that is shorter or longer than promised.

    Returns
    -------
    Layout
        The combination of what the file says that fills its bytes.

    Raises
    ------
    FileRefusedError
        No points and no channels, no usable rate, or header and parameters contradict each other (or the header alone counts the
        analog samples) and nothing fits the bytes that are there.
    """
    poses = find_rotations(parameters, len(data))
    # Poses lie behind the points.
    size = min(len(data), poses.start) if poses else len(data)
    rate_hz = _rate(header, parameters, findings)
    counts = _counts(header, parameters, rate_hz)
    if poses and not any(points or channels for points, channels, _ in counts):
        return _of_poses(header, parameters, poses, rate_hz, findings)
    formats = _distinct([header.scale < 0, (parameters.number("POINT", "SCALE") or header.scale) < 0])
    starts = _starts(header, parameters, size, findings.file)
    frames = _frame_counts(header, parameters)
    guesses = [_Guess(*combination, size) for combination in product(counts, formats, starts, frames)]
    # Without ANALOG:RATE the header alone says how many samples a frame has, and nothing but the length confirms it.
    unconfirmed = counts[0][1] > 0 and parameters.number("ANALOG", "RATE") is None
    guess = _best(guesses, doubtful=unconfirmed or len(counts) * len(formats) * len(starts) > 1, where=findings.file)
    if guess.frames >= CLIPPED_FRAME - 1 and guess.fit == 1:
        # The zeros that fill the last block are no frames.
        padding = BLOCK_BYTES - len(data[-BLOCK_BYTES:].rstrip(b"\0"))
        longer = ceil((size - padding - guess.start) / guess.frame_bytes)
        findings.add("frames-clipped", counted=guess.frames, held=longer)
        guess = _Guess(guess.counts, guess.is_float, guess.start, longer, size)
    elif guess.fit == 1:
        behind = size - guess.start - guess.frames * guess.frame_bytes
        findings.add("data-longer", promised=guess.frames, bytes=behind)
    if len(counts) > 1 or len(formats) > 1:
        findings.add("counts-disagree", stated=counts, points=guess.counts[0])
    present = min(guess.frames, max(0, size - guess.start) // guess.frame_bytes)
    if present < guess.frames:
        _note_cut(present, guess.frames, findings)
    if len(starts) > 1:
        findings.add(
            "data-start-disagrees", stated=[start // BLOCK_BYTES + 1 for start in starts], used=guess.start // BLOCK_BYTES + 1
        )
    if len(frames) > 1:
        findings.add("frames-disagree", stated=frames, read=present)
    layout = Layout(
        *guess.counts, guess.is_float, _scale(header, parameters, guess.is_float, findings.file), guess.start,
        _first_frame(header, parameters, guess.frames, findings), present, guess.frames, rate_hz, poses,
    )  # fmt: skip
    _check_analog_rate(layout, parameters, findings)
    return layout


def _of_poses(header: Header, parameters: Parameters, poses: RotationBlock, rate_hz: float, findings: FileFindings) -> Layout:
    """Return the layout of a file that holds poses of segments and nothing else."""
    promised = _frame_counts(header, parameters)[0]
    present = min(promised, poses.held)
    if present < promised:
        _note_cut(present, promised, findings)
    first = _first_frame(header, parameters, promised, findings)
    return Layout(0, 0, 0, True, -1.0, poses.start, first, present, promised, rate_hz, poses)


def _note_cut(present: int, promised: int, findings: FileFindings) -> None:
    if present < 1:
        raise FileRefusedError(
            f"{findings.file} ends before its first frame ({promised} frames are promised): it was cut; copy or export it again.",
            value=present, expected=f"{promised} frames", where=findings.file,
        )  # fmt: skip
    findings.add("data-cut", promised=promised, held=present)


def _best(guesses: list[_Guess], *, doubtful: bool, where: str) -> _Guess:
    # max keeps the first of equals, and what the header says comes first.
    best = max(guesses, key=lambda guess: guess.fit)
    if best.fit < 0:
        raise FileRefusedError(
            f"{where} holds no points and no analog channels, or no frames: there is nothing to read.",
            value=best.counts, expected="at least one point and one frame", where=where,
        )  # fmt: skip
    if doubtful and best.fit < 2:
        stated = "; ".join(
            sorted({f"{g.counts[0]} points, {g.counts[1]} channels x {g.counts[2]}, from byte {g.start}" for g in guesses})
        )
        raise FileRefusedError(
            f"What header and parameters of {where} say of its frames ({stated}) does not fit its length: it is damaged.",
            value=stated, expected="counts that fit the file's length", where=where,
        )  # fmt: skip
    return best


def _distinct(values: list[_T]) -> list[_T]:
    return list(dict.fromkeys(values))


def _rate(header: Header, parameters: Parameters, findings: FileFindings) -> float:
    stored = parameters.number("POINT", "RATE")
    rates_hz = {"header": header.rate_hz, "POINT:RATE": stored}
    usable = {name: rate for name, rate in rates_hz.items() if rate is not None and SLOWEST_HZ <= rate <= FASTEST_HZ}
    if not usable:
        raise FileRefusedError(
            f"{findings.file} gives no usable frame rate (header {header.rate_hz:g} Hz, POINT:RATE {stored} Hz).",
            value=rates_hz, expected=f"a rate between {SLOWEST_HZ:g} and {FASTEST_HZ:g} Hz", where=findings.file,
        )  # fmt: skip
    rate = usable.get("POINT:RATE", header.rate_hz)
    if any(abs(other - rate) > RELATIVE_TOLERANCE * rate for other in usable.values()) or (stored is not None and len(usable) < 2):
        analog, samples = parameters.number("ANALOG", "RATE") or 0.0, header.analog_samples
        fitting = [r for r in usable.values() if samples and abs(analog - r * samples) <= RELATIVE_TOLERANCE * analog]
        rate = fitting[0] if fitting else rate
        findings.add("rates-disagree", header_hz=header.rate_hz, parameter_hz=stored, used_hz=rate)
    return float(rate)


def _counts(header: Header, parameters: Parameters, rate_hz: float) -> list[tuple[int, int, int]]:
    """Points, channels and samples per frame as the header and as the parameters say."""
    from_header = (header.points, header.channels, header.analog_samples if header.channels else 0)
    points = parameters.unsigned("POINT", "USED")
    channels = parameters.unsigned("ANALOG", "USED")
    analog_rate = parameters.number("ANALOG", "RATE")
    samples = from_header[2]
    if analog_rate is not None and isfinite(analog_rate) and analog_rate > 0:
        samples = round(analog_rate / rate_hz)
    channels = from_header[1] if channels is None else channels
    stored = (from_header[0] if points is None else points, channels, samples if channels else 0)
    return _distinct([from_header, stored])


def _starts(header: Header, parameters: Parameters, size: int, where: str) -> list[int]:
    """Byte offsets of the data as header and POINT:DATA_START say; the block behind the parameters where neither can be."""
    blocks = [header.data_block, parameters.unsigned("POINT", "DATA_START")]
    starts = _distinct([(block - 1) * BLOCK_BYTES for block in blocks if block and block > 1])
    # Of two that fill the file the one behind the section's own blocks is right.
    starts.sort(key=lambda start: start != parameters.start + parameters.blocks * BLOCK_BYTES)
    behind = ceil(parameters.end / BLOCK_BYTES) * BLOCK_BYTES
    # A parameter section whose last block is empty may be counted one shorter.
    possible = [start for start in starts if behind <= start + BLOCK_BYTES]
    inside = [start for start in possible if start < size]
    if inside:
        return inside
    if possible or behind >= size:
        start = min(possible, default=behind)
        raise FileRefusedError(
            f"{where} ends at byte {size}, before its data at byte {start}: it was cut; copy or export it again.",
            value=size, expected=f"more than {start} bytes", where=where,
        )  # fmt: skip
    # What the file says and what its parameters leave room for contradict each other: only the length can tell who is right.
    return [*starts, behind]


def _frame_counts(header: Header, parameters: Parameters) -> list[int]:
    """Numbers of frames the file states, the most reliable first; those cut short by 16 bits are left out."""
    first, last = _wide(parameters, "ACTUAL_START_FIELD"), _wide(parameters, "ACTUAL_END_FIELD")
    counts = [last - first + 1] if first and last else []
    counts.append(header.last_frame - header.first_frame + 1)
    for name in ("LONG_FRAMES", "FRAMES"):
        count = parameters.number("POINT", name)
        if count is not None and isfinite(count):
            counts.append(int(count) + 65536 if name == "FRAMES" and count < 0 else int(count))
    sound = [count for count in _distinct(counts) if count >= 1]
    unclipped = [count for count in sound if count < CLIPPED_FRAME - 1 or count == counts[0]]
    return unclipped or sound or [0]


def _wide(parameters: Parameters, name: str) -> int:
    """A frame number stored as two 16-bit words (or one float) in the TRIAL group; 0 when absent."""
    values = parameters.numbers("TRIAL", name).ravel()
    if values.size == 0 or not isfinite(float(values[0])):
        return 0
    low = int(values[0]) & 0xFFFF if values.size > 1 else int(values[0])
    return low + 65536 * (int(values[1]) & 0xFFFF) if values.size > 1 else low


def _first_frame(header: Header, parameters: Parameters, frames: int, findings: FileFindings) -> int:
    actual, end = _wide(parameters, "ACTUAL_START_FIELD"), _wide(parameters, "ACTUAL_END_FIELD")
    if not actual or actual == header.first_frame:
        return max(1, header.first_frame)
    # A header cannot count beyond 65535; otherwise that pair of frames is believed whose distance is right.
    believed = actual if end - actual + 1 == frames else header.first_frame
    if actual <= CLIPPED_FRAME:
        findings.add("first-frame-disagrees", header=header.first_frame, parameter=actual, used=believed)
    return max(1, believed)


def _scale(header: Header, parameters: Parameters, is_float: bool, where: str) -> float:
    stored = parameters.number("POINT", "SCALE")
    scale = header.scale if stored is None else stored
    if is_float:
        return -1.0
    if not (isfinite(scale) and scale > 0) or abs(header.scale - scale) > RELATIVE_TOLERANCE * scale:
        raise FileRefusedError(
            f"The scale of the positions in {where} is {header.scale:g} in the header and {stored} in POINT:SCALE: "
            "which of them is right cannot be known; export the file again.",
            value=(header.scale, stored), expected="the same positive scale in both places", where=where,
        )  # fmt: skip
    return float(scale)


def _check_analog_rate(layout: Layout, parameters: Parameters, findings: FileFindings) -> None:
    if not layout.channels:
        return
    stored = parameters.number("ANALOG", "RATE")
    if stored is None:
        findings.add("analog-rate-missing", rate_hz=layout.analog_rate_hz, samples=layout.samples)
    elif not abs(stored - layout.analog_rate_hz) <= RELATIVE_TOLERANCE * layout.analog_rate_hz:
        findings.add("analog-rate-disagrees", stated_hz=stored, samples=layout.samples, rate_hz=layout.rate_hz)
