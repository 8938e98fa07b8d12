"""The first 512 bytes of a C3D file.

Words are counted from 1 as in the C3D user guide: 2 points, 3 analog values per frame, 4 first frame, 5 last frame,
7-8 scale (negative: floats), 9 block of the data, 10 analog samples per frame, 11-12 rate; 150-234 up to 18 events with
4-character labels.
"""

from __future__ import annotations

from biomech_id.readers.c3d.processor import Processor
from biomech_id.readers.c3d.records import without_controls
from biomech_id.values import dataclass

BLOCK_BYTES = 512
#: Word 150 holds this number when event labels have four characters.
EVENT_KEY = 0x3039
MOST_HEADER_EVENTS = 18


@dataclass(frozen=True)
class HeaderEvent:
    """An event stored in the header: a label of four characters, a time in seconds, whether it is switched on.

    Attributes
    ----------
    label : str
        At most four characters: side and an abbreviation, such as "LHS".
    time_s : float
        As stored, seconds from frame 1.
    shown : bool
        Whether it is switched on.
    """

    label: str
    time_s: float
    shown: bool


@dataclass(frozen=True)
class Header:
    """What the header says, unchecked; frames are counted from 1.

    Attributes
    ----------
    points : int
        Number of points, model outputs included.
    analog_per_frame : int
        Analog words in a frame.
    first_frame : int
        Number of the first frame kept, counted from 1.
    last_frame : int
        Number of the last frame kept; 16 bits, so a longer recording stops at 65535.
    scale : float
        Of integer points; negative where points are floats.
    data_block : int
        Number of the block where the data begin, from 1.
    analog_samples : int
        Analog samples in a video frame.
    rate_hz : float
        Video frames per second.
    events : tuple[HeaderEvent, ...]
        Stored in the header.
    """

    points: int
    analog_per_frame: int
    first_frame: int
    last_frame: int
    scale: float
    data_block: int
    analog_samples: int
    rate_hz: float
    events: tuple[HeaderEvent, ...]

    @property
    def channels(self) -> int:
        """Analog channels, as far as the header tells."""
        return self.analog_per_frame // self.analog_samples if self.analog_samples else 0


def parse_header(data: bytes, processor: Processor) -> Header:
    """Return the header of a file.

    Parameters
    ----------
    data : bytes
        At least the first block, 512 bytes.
    processor : Processor
        In whose format numbers are stored.

    Returns
    -------
    Header
        As stored; contradictions with the parameters are left to `find_layout`.
    """
    words = processor.words(data, count=BLOCK_BYTES // 2)
    return Header(
        points=int(words[1]),
        analog_per_frame=int(words[2]),
        first_frame=int(words[3]),
        last_frame=int(words[4]),
        scale=processor.number(data, 12),
        data_block=int(words[8]),
        analog_samples=int(words[9]),
        rate_hz=processor.number(data, 20),
        events=_events(data, processor),
    )


def _events(data: bytes, processor: Processor) -> tuple[HeaderEvent, ...]:
    words = processor.words(data, count=BLOCK_BYTES // 2)
    if words[149] != EVENT_KEY:
        return ()
    count = min(int(words[150]), MOST_HEADER_EVENTS)
    times = processor.floats(data, offset=152 * 2, count=MOST_HEADER_EVENTS)
    shown = data[188 * 2 : 188 * 2 + MOST_HEADER_EVENTS]
    labels = [data[198 * 2 + 4 * i : 198 * 2 + 4 * i + 4] for i in range(count)]
    # A zero byte means shown, by the user guide; most writers store 1 for it. The event counts either way.
    return tuple(
        HeaderEvent(without_controls(label.decode("latin-1")).strip(), float(times[i]), shown[i] == 0)
        for i, label in enumerate(labels)
    )
