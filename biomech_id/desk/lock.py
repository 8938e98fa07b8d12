"""Who works in a desk's folder: one process at a time, told by a file that is made exclusively, as shares keep it."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from platform import node

from biomech_id.values import dataclass

#: How often (s) the holder renews it, and after how long another may take it over.
RENEWED_S, LOST_S = 10.0, 60.0


@dataclass
class Lock:
    """The lock of a desk's folder.

    Attributes
    ----------
    path : Path
        The file.
    held : bool
        Whether this process holds it.
    left_behind : bool
        Whether it was taken from a desk that did not give it back.
    """

    path: Path
    held: bool = False
    left_behind: bool = False

    @property
    def holder(self) -> dict[str, object]:
        """Host, process, and when it was renewed; empty where nobody holds it."""
        try:
            return dict(json.loads(self.path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return {}

    @property
    def age_s(self) -> float:
        """How long ago its holder renewed it."""
        return time.time() - float(str(self.holder.get("time", 0.0)))

    @property
    def abandoned(self) -> bool:
        """Whether its holder is known to be gone, or was not heard of for long; a clock that went back counts as long too."""
        holder = self.holder
        if holder.get("host") == node() and os.name != "nt":
            return not _lives(int(str(holder.get("process", 0))))
        return not 0.0 <= self.age_s < LOST_S

    def take(self, *, over: bool = False) -> bool:
        """Take it if it is free or abandoned, and return whether it is held.

        Parameters
        ----------
        over : bool, optional
            Whether somebody asked to take it over; only from one that was not heard of for long.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and (self.abandoned or (over and not 0.0 <= self.age_s < LOST_S)):
            self.path.unlink(missing_ok=True)
            self.left_behind = True
        with suppress(FileExistsError):
            with open(self.path, "x", encoding="utf-8") as file:
                file.write(self._text())
            self.held = True
        return self.held

    def renew(self) -> None:
        """Say that the holder still lives; one that was taken over is lost."""
        if not self.held:
            return
        if (self.holder.get("host"), self.holder.get("process")) != (node(), os.getpid()):
            self.held = False
            return
        part = self.path.with_name(f".{self.path.name}-{os.getpid()}")
        part.write_text(self._text(), encoding="utf-8")
        os.replace(part, self.path)

    def release(self) -> None:
        """Give it back."""
        if self.held:
            self.path.unlink(missing_ok=True)
            self.held = False

    def _text(self) -> str:
        return json.dumps({"host": node(), "process": os.getpid(), "time": time.time()})


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return process > 0
