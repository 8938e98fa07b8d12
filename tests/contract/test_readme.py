"""What the README shows works as it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from biomech_id.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = tmp_path / "patients" / "anna"
    anna.mkdir(parents=True)
    for source, target in (("static", "static"), ("walk01", "walk")):
        shutil.copy(ROOT / "data" / f"{source}.c3d", tmp_path / f"{target}.c3d")
        shutil.copy(ROOT / "data" / f"{source}.c3d", anna / f"{target}.c3d")
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    moment = names["loads"]["R", "knee"].expressed_in("shank").moment_Nm  # type: ignore[index]
    assert moment.shape == (names["trial"].n_frames, 3)  # type: ignore[attr-defined]
    assert "LKneeAngles.X" in names["result"].frames("walk").to_dataframe()  # type: ignore[attr-defined]


@pytest.mark.slow
def test_the_python_tour_has_types(tmp_path: Path) -> None:
    """A researcher who checks types strictly sees those of the installed package, and no complaint about the README's own lines."""
    pytest.importorskip("mypy")
    script = tmp_path / "tour.py"
    script.write_text(blocks("python")[0] + 'reveal_type(loads["R", "knee"].wrench)\n', encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), str(script)]
    checked = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert '"biomech_id.algebra.wrench.Wrench"' in checked.stdout


def test_every_command_it_names_exists() -> None:
    known = {command.name for command in app.registered_commands}
    shown = [line for block in blocks("sh") for line in block.splitlines() if "biomech-id" in line]
    assert shown
    for line in shown:
        words = shlex.split(line, comments=True)
        assert words[1] in known, line
    for target in re.findall(r"^make (\w[\w-]*)", "\n".join(blocks("sh")), flags=re.MULTILINE):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE), target


def test_every_page_it_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link
