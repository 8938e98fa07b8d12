"""What the command prints into a file is UTF-8 whatever the system's own encoding, as Windows' consoles and pipes have it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_names_of_any_language_go_into_a_pipe(tmp_path: Path, encoding: str) -> None:
    folder = tmp_path / "Größe 身長"
    folder.mkdir()
    (folder / "Łukasz.c3d").touch()
    done = subprocess.run(
        [sys.executable, "-c", "from biomech_id.cli import main; main()", "check", str(folder)],
        capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding}, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Größe 身長" in done.stdout.decode("utf-8")
    assert "Łukasz.c3d is empty" in done.stdout.decode("utf-8").replace(f"{folder}{os.sep}", "")
