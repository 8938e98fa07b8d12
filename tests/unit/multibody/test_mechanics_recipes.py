"""Every recipe of `pipelines/mechanics` runs as a user would run it, draws a page with something on it, and is short."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "pipelines" / "mechanics"
RECIPES = sorted(FOLDER.glob("*.py"))
#: Lines of user code, blank lines and comments not counted, that the docs can still show whole.
LONGEST = 60


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_recipe_draws_its_figure(recipe: Path, tmp_path: Path) -> None:
    """Copied from its page into an empty folder: it needs the installed package and nothing of the project beside it."""
    pytest.importorskip("sympy")
    plots = [tmp_path / "figure.png"] + ([tmp_path / "film.gif"] if "def film" in recipe.read_text(encoding="utf-8") else [])
    environment = {"MPLBACKEND": "Agg", "PATH": "", "MPLCONFIGDIR": str(tmp_path), "HOME": str(tmp_path)}
    copied = shutil.copy(recipe, tmp_path)
    subprocess.run([sys.executable, copied, *map(str, plots)], check=True, env=environment, timeout=120, cwd=tmp_path)
    from matplotlib.image import imread

    page = imread(plots[0])
    assert page.shape[1] > 900
    assert page[..., :3].std() > 0.05
    assert all(path.stat().st_size > 5000 for path in plots)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_recipe_is_short(recipe: Path) -> None:
    code = [line for line in recipe.read_text(encoding="utf-8").splitlines() if line.strip() and not line.strip().startswith("#")]
    assert len(code) <= LONGEST


def test_there_is_one_for_each_document() -> None:
    names = {"n_link_limb", "exoskeleton_leg", "exoskeleton_cuffs", "block_system", "double_pendulum", "n_pendulum", "arm_reaching"}
    assert {path.stem for path in RECIPES} == names


def test_n_pendulum_takes_fewer_lines_than_the_document() -> None:
    """From the first line to the simulation: at most the 37 lines of the document's script, without those of drawing."""
    source = (FOLDER / "n_pendulum.py").read_text(encoding="utf-8")
    lines = [line for line in source.split("def draw")[0].splitlines() if line.strip() and "matplotlib" not in line]
    assert "kane(" in source
    assert 10 < len(lines) <= 37
