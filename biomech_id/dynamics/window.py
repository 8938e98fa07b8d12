"""Frames of one recording: what may be combined frame by frame, and what may not."""

from __future__ import annotations

from biomech_id.errors import InvalidValueError
from biomech_id.values import dataclass, field


@dataclass(frozen=True)
class Window:
    """Which frames of which recording some values belong to.

    Attributes
    ----------
    trial : str
        The trial's name, for sentences: a trial may be renamed.
    identity : str
        The recording's, as `trial.Trial` has it.
    first_frame : int
        Number of the first frame, from 1.
    n_frames : int
        How many there are.
    """

    trial: str = field(compare=False)
    identity: str
    first_frame: int
    n_frames: int

    def __str__(self) -> str:
        return f"{self.trial} (frames {self.first_frame} to {self.first_frame + self.n_frames - 1})"


def refuse_other_window(one: Window | None, other: Window | None, what: str, which: str, *, where: str) -> None:
    """Refuse to combine values of different recordings, or of different frames of one.

    Parameters
    ----------
    one, other : Window | None
        Of the values; None where they say nothing, as arrays of somebody's own.
    what, which : str
        What the values are, with an article: "the motion", "the plates".
    where : str
        The public function that was called.

    Raises
    ------
    InvalidValueError
        The values are of different windows; the message names both.
    """
    if one is None or other is None or one == other:
        return
    names = [str(one), str(other) if str(one) != str(other) else f"another recording called {other}"]
    raise InvalidValueError(
        f"{what[:1].upper()}{what[1:]} is of {names[0]}, {which} of {names[1]}: take both from one trial.",
        value=names, expected="the same frames of one recording", where=where,
    )  # fmt: skip
