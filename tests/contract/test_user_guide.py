"""The user guide's commands, run one after the other in an empty folder, as they are written."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.before import ROOT, server

GUIDE = ROOT / "docs" / "user-guide.md"
#: A block that is run, and the exit codes it may end with.
BLOCK = re.compile(r"^```sh run(?: expect=(?P<codes>[\d,]+))?\n(?P<words>.*?)^```", re.MULTILINE | re.DOTALL)


def run(words: str, home: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A block; commands that a shell adds nothing to are run without it, and import the library once for all of them."""
    if not words.startswith("biomech-id ") or set(words) & set("<>|&;$*\\'`("):
        return subprocess.run(["sh", "-e", "-c", words], cwd=home, env=environment, capture_output=True, text=True)
    for line in words.splitlines():
        name, *arguments = shlex.split(line)
        assert name == "biomech-id", line
        done = server(ROOT).run(arguments, home)
        if done.returncode:
            break
    return done


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt" or shutil.which("sh") is None, reason="the guide's commands are a POSIX shell's")
def test_every_command_does_what_the_guide_says(tmp_path: Path) -> None:
    # The command of the interpreter that runs the tests, whatever else is on the path.
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "biomech-id"
    command.write_text(
        f"#!{sys.executable}\nfrom biomech_id.cli import main\nif __name__ == '__main__':\n    main()\n", encoding="utf-8"
    )
    command.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    environment = os.environ | {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    blocks = list(BLOCK.finditer(GUIDE.read_text(encoding="utf-8")))
    assert len(blocks) > 8
    for block in blocks:
        allowed = [int(code) for code in (block["codes"] or "0").split(",")]
        ran = run(block["words"], home, environment)
        assert ran.returncode in allowed, block["words"] + ran.stdout + ran.stderr
    for name in (
        "results/anna/report.pdf", "results/healthy/verdicts.csv", "norm.csv", "change.pdf", "demo/subject/subject.toml",
        "demo/results/report.pdf",
        "opensim/anna/subject.osim", "opensim/anna/walk01_id_setup.xml", "opensim/anna/walk01_ik_setup.xml",
        "opensim/anna/walk01_inverse_dynamics.sto", "results/anna-from-opensim/report.pdf",
    ):  # fmt: skip
        assert (home / name).is_file(), name
    assert (home / "results/P007/report.pdf").read_bytes() != (home / "results/anna/report.pdf").read_bytes()
