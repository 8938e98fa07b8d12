"""Every example of the gallery runs as a notebook in one fresh kernel; tasks take three lines; figures are pictures; types hold."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import biomech_id as bid

ROOT = Path(__file__).resolve().parents[2]
#: Those with cells; what else lies there draws pictures.
EXAMPLES = [path for path in sorted((ROOT / "docs" / "gallery").glob("*.py")) if "\n# %% " in path.read_text(encoding="utf-8")]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.py"))
#: Examples that need a package beside the library's own.
OPTIONAL = {"to_xarray_and_back": "xarray", "to_opensim_tables_and_back": "opensim"}


def cells(path: Path) -> tuple[str, str, str]:
    """What is there beforehand, the heading of what is shown, and its code."""
    _, setup, shown = re.split(r"^# %% ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    heading, _, code = shown.partition("\n")
    return setup.partition("\n")[2], heading, code.strip()


def test_there_are_twenty_and_twelve_tasks() -> None:
    assert len(EXAMPLES) >= 20
    assert sum(cells(path)[1] == "Task" for path in EXAMPLES) >= 12


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_title_and_a_task_three_lines(path: Path) -> None:
    title = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert title.partition("\n")[0]
    _, heading, code = cells(path)
    assert heading in ("Task", "Example")
    assert len(code.splitlines()) <= (3 if heading == "Task" else 8)


def test_every_public_name_is_used_by_an_example() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in EXAMPLES)
    assert [name for name in bid.__all__ if not re.search(rf"\bbid\.{name}\b", text)] == []


def test_a_name_that_no_example_uses_is_seen() -> None:
    assert not re.search(r"\bbid\.analysed\b", "bid.analyse(x)")


def steps(path: Path) -> list[str]:
    """The code of a tutorial's steps; comments say in words what each does."""
    _, *found = re.split(r"^# %% .*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return found


def test_there_are_six_tutorials_of_several_steps() -> None:
    assert len(TUTORIALS) == 6
    for path in TUTORIALS:
        text = path.read_text(encoding="utf-8")
        assert len(steps(path)) >= 4, path.stem
        assert (ast.get_docstring(ast.parse(text)) or "").count("\n") >= 2, path.stem
        assert "\nbid.plot." in text, f"{path.stem} shows no figure"


@pytest.fixture(scope="module")
def notebook() -> Any:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    book = nbformat.v4.new_notebook()
    for path in EXAMPLES:
        if path.stem in OPTIONAL:
            try:
                __import__(OPTIONAL[path.stem])
            except ImportError:
                continue
        setup, _, code = cells(path)
        book.cells += [nbformat.v4.new_code_cell(setup), nbformat.v4.new_code_cell(code, metadata={"example": path.stem})]
    for path in TUTORIALS:
        book.cells += [nbformat.v4.new_code_cell(code, metadata={"tutorial": path.stem}) for code in steps(path)]
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    return book


@pytest.mark.slow
def test_all_of_them_run_in_a_fresh_kernel(notebook: Any) -> None:
    shown = {cell.metadata["example"]: cell.outputs for cell in notebook.cells if "example" in cell.metadata}
    assert set(shown) >= {path.stem for path in EXAMPLES} - set(OPTIONAL)
    assert all(outputs for outputs in shown.values())


@pytest.mark.slow
def test_every_step_of_a_tutorial_shows_something(notebook: Any) -> None:
    cells = [cell for cell in notebook.cells if "tutorial" in cell.metadata]
    assert {cell.metadata["tutorial"] for cell in cells} == {path.stem for path in TUTORIALS}
    pictures = set()
    for cell in cells:
        if isinstance(ast.parse(cell.source).body[-1], ast.Expr):
            assert cell.outputs, f"{cell.metadata['tutorial']}: {cell.source}"
        if cell.source.strip().splitlines()[-1].startswith("bid.plot"):
            assert any("image/png" in output.get("data", {}) for output in cell.outputs), cell.source
            pictures.add(cell.metadata["tutorial"])
    assert pictures == {path.stem for path in TUTORIALS}


@pytest.mark.slow
def test_every_figure_is_a_picture(notebook: Any) -> None:
    drawn = 0
    for cell in notebook.cells:
        if "example" in cell.metadata and "bid.plot" in cell.source.splitlines()[-1]:
            assert any("image/png" in output.get("data", {}) for output in cell.outputs), cell.metadata["example"]
            drawn += 1
    assert drawn >= 8


def docstring_examples() -> dict[str, str]:
    """A script for the examples of every docstring, each with the names of its module, as doctest runs it."""
    scripts = {}
    for path in sorted((ROOT / "biomech_id").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(text)) if ">>> " in text else ():
            words = ast.get_docstring(node) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) else None
            code = "".join(example.source for example in doctest.DocTestParser().get_examples(words or ""))
            if code:
                scripts[f"{module}_{node.lineno if hasattr(node, 'lineno') else 0}".replace(".", "_")] = (
                    f"from {module} import *\n{code}"
                )
    return scripts


@pytest.mark.slow
def test_every_example_has_types(tmp_path: Path) -> None:
    """Gallery, tutorials and docstrings under ``mypy --strict``: whoever copies one into a checked script sees no complaint."""
    pytest.importorskip("mypy")
    scripts = {f"{path.parent.name}_{path.stem}": path.read_text(encoding="utf-8") for path in (*EXAMPLES, *TUTORIALS)}
    scripts |= docstring_examples()
    assert len(scripts) > 300
    for name, text in scripts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary"]
    words += ["--cache-dir", str(ROOT / ".mypy_cache"), *sorted(str(tmp_path / f"{name}.py") for name in scripts)]
    checked = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr
