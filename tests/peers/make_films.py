"""Films whose pictures carry their number, for the tests of film beside the walker: ``python -m tests.peers.make_films`` (PyAV)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

FILMS = Path(__file__).parent / "films"
RATE_HZ, N_PICTURES = 50, 200
#: A picture is this high (pixels), and each of its eight bits this wide, the highest bit first.
HEIGHT, BIT_WIDTH = 32, 16
#: Name -> codec: MP4 and WebM play in a browser, AVI does not.
CODECS = {"numbered.webm": "libvpx-vp9", "numbered.mp4": "libx264", "numbered.avi": "mjpeg"}


def picture(number: int) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    """Return a picture (height, width, 3) that shows a number as white and black bits."""
    bits = np.array([number >> bit & 1 for bit in range(7, -1, -1)], np.uint8)
    return np.tile(np.repeat(bits * 255, BIT_WIDTH)[None, :, None], (HEIGHT, 1, 3))


def write_film(path: Path, codec: str) -> None:
    """Write one film."""
    import av

    with av.open(str(path), "w") as film:
        stream = film.add_stream(codec, rate=RATE_HZ)
        stream.width, stream.height = 8 * BIT_WIDTH, HEIGHT
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        stream.time_base = Fraction(1, RATE_HZ)
        stream.gop_size = 25
        for number in range(N_PICTURES if codec != "mjpeg" else 5):
            frame = av.VideoFrame.from_ndarray(picture(number), format="rgb24")
            frame.pts = number
            film.mux(stream.encode(frame))
        film.mux(stream.encode())


if __name__ == "__main__":
    FILMS.mkdir(exist_ok=True)
    for name, codec in CODECS.items():
        write_film(FILMS / name, codec)
