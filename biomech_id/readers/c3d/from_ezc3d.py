"""A recording from what the package ezc3d holds in memory, read by the same rules as a file."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from biomech_id.arguments import Kind, a_str, takes
from biomech_id.readers.c3d.read import read_c3d
from biomech_id.trial import Trial


@takes(c=Kind("an ezc3d.c3d", lambda v: hasattr(v, "write"), hint="ezc3d.c3d(path) is one"), name=a_str())
def from_ezc3d(c: Any, *, name: str = "trial") -> Trial:
    """Return the trial that an ``ezc3d.c3d`` holds, as `read_c3d` would from its file.

    Parameters
    ----------
    c : Any
        ``ezc3d.c3d(path)``, changed or not.
    name : str, optional
        Name the trial gets; there is no file to take it from.

    Returns
    -------
    Trial
        SI units, laboratory axes with Z up; without path and hash.

    Raises
    ------
    FileRefusedError
        It holds something that would give wrong numbers.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.c3d"
        c.write(str(path))
        return replace(read_c3d(path, trust=True), name=name, path="", sha256="")
