"""Every equation, figure, table and listing of the five source documents is on a page, with a function and a test that exist.

What the equations say, typeset, is held against the code in ``test_typeset_equations`` and ``test_typeset_vectors``.
"""

from __future__ import annotations

import ast
import csv
import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FOLDER = DOCS / "documents"
ITEMS = list(csv.DictReader((FOLDER / "items.csv").open(encoding="utf-8")))
LATEX = tomllib.loads((FOLDER / "equations.toml").read_text(encoding="utf-8"))
SYMBOLS = list(csv.DictReader((FOLDER / "symbols.csv").open(encoding="utf-8")))
#: How many equations each document has: 104 numbered ones, the first's formulas, and one of the fourth's without a number.
EQUATIONS = {"1": 11, "2": 15, "3": 21, "4": 23, "5": 46}
#: How many equations, figures, tables and listings each document has.
COUNTS = {"1": 40, "2": 21, "3": 25, "4": 32, "5": 47}
PAGE = re.compile(r"\]\((?P<page>[\w./-]+\.md)(?:#(?P<anchor>[\w-]+))?\)")


def name_of(row: dict[str, str]) -> str:
    return f"{row['document']} {row['item']}"


@cache
def named_tests(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.fixture(scope="module")
def writer() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from docs.documents import write

        yield write


def test_every_item_is_there_once() -> None:
    """165 in all; each document's numbered equations without a gap."""
    assert {d: sum(row["document"] == d for row in ITEMS) for d in COUNTS} == COUNTS
    assert len(ITEMS) == sum(COUNTS.values()) == 165
    assert len({name_of(row) for row in ITEMS}) == 165
    for document, numbers in (("2", 15), ("4", 22), ("5", 44)):
        found = [row["item"] for row in ITEMS if row["document"] == document and row["item"].isdigit()]
        assert found == [str(k) for k in range(1, numbers + 1)]
    for letter, last in (("C", 14), ("O", 14), ("E", 11)):
        assert {f"{letter}{k}" for k in range(1, last + 1)} <= {row["item"] for row in ITEMS if row["document"] == "1"}
    assert {f"E{k}" for k in range(1, 22)} <= {row["item"] for row in ITEMS if row["document"] == "3"}


@pytest.mark.parametrize("row", ITEMS, ids=name_of)
def test_its_function_imports_and_its_test_exists(row: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    if "symbolic" in row["function"]:
        pytest.importorskip("sympy")
    monkeypatch.syspath_prepend(str(ROOT))
    for function in filter(None, row["function"].split(";")):
        where = function if function.startswith("docs.") else f"biomech_id.{function}"
        assert resolve_name(where) is not None
    path, _, test = row["test"].partition("::")
    assert test in named_tests(path)
    # Without code: a sentence that says why.
    assert row["function"] or row["note"].startswith(("No code", "As (", "Nothing to hold"))
    assert bool(row["function"]) == bool(row["call"])


def test_pages_are_what_the_table_says(writer: Any) -> None:
    """Recipes, printed numbers computed again, items: run ``python -m docs.documents.write`` after a change."""
    for page in writer.WRITTEN:
        text = (FOLDER / page).read_text(encoding="utf-8")
        assert text.count("<!-- generated: ") == text.count("<!-- end -->") == len(writer.PART.findall(text)) > 0
        assert text == writer.rendered(text), page


def test_every_numbered_equation_is_typeset_once() -> None:
    """In the order of the document; TOML itself refuses a number twice. (15) of the fourth document is an empty line."""
    for document, count in EQUATIONS.items():
        numbered = [row["item"] for row in ITEMS if row["document"] == document and row["kind"] in ("equation", "formula")]
        assert list(LATEX[document]) == numbered
        assert len(numbered) == count
    assert sum(EQUATIONS[document] for document in "235") + EQUATIONS["4"] - 1 == 104
    assert [(document, number) for document in LATEX for number, latex in LATEX[document].items() if not latex] == [("4", "15")]


def test_an_equation_says_what_it_is_in_one_sentence() -> None:
    for row in ITEMS:
        if row["kind"] in ("equation", "formula"):
            assert row["what"][0].isupper() or row["what"][0] == "(", name_of(row)
            assert not re.search(r"[.!?] |[.!?]$", row["what"]), name_of(row)


def test_all_latex_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """As MathML, without an index below a letter that has a dot or an arrow, where docutils alone would write it."""
    pytest.importorskip("docutils", minversion="0.22")
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    mathml = import_module("equations").mathml
    for latex in [*(latex for equations in LATEX.values() for latex in equations.values()), *(row["symbol"] for row in SYMBOLS)]:
        drawn = mathml(latex, block=True)
        assert "merror" not in drawn
        pairs = {(parent.tag[36:], child.tag[36:]) for parent in ElementTree.fromstring(drawn).iter() for child in parent}
        tables = {pair for pair in pairs if pair[1] in ("mtr", "mtd")}
        assert tables <= {("mtable", "mtr"), ("mtr", "mtd")}, f"a bracket reaches over columns: {latex}"
        assert drawn.count("<munderover") == latex.count(r"\sum"), latex
        assert "\n\n" not in latex, "a blank line ends a formula"
        assert len(re.findall(r"(?<!\\)\{", latex)) == len(re.findall(r"(?<!\\)\}", latex)), latex
    with pytest.raises(ValueError, match=r"not LaTeX that can be drawn: \\nosuch x"):
        mathml(r"\nosuch x", block=True)


#: What lays a formula out, sets letters above others, or names a function.
LAYOUT = re.compile(
    r"\\(?:begin|end)\{\w+\}|\\math(?:rm|sf)(?:\{\w+\}| \w)|\\[\\,;{}]"
    r"|\\(?:left|right|q?quad|frac|d*dot|vec|bar|tilde|overrightarrow|mathbf|boldsymbol|sin|cos|sum"
    r"|cdot|times|ast|neq|nabla|partial|ldots)(?![a-z])"
)
#: The sign of a rate, d/dt, in a frame or without.
RATE = re.compile(r"\\frac\{(?:\{\}\^\{A\})?d\}\{dt\}")
#: An index or a power.
INDEX = re.compile(r"[_^](?:\{(?:[^{}]|\{[^{}]*\})*\}|\\?\w+)")
#: Letters that count, and pi.
COUNTERS = {"i", "n", "N", r"\pi"}


def letters(latex: str) -> set[str]:
    """Letters of a formula without their indices: Latin ones, and Greek by name."""
    plain = LAYOUT.sub(" ", INDEX.sub(" ", RATE.sub(" ", latex)))
    return set(re.findall(r"\\?[A-Za-z]+", plain))


@pytest.mark.parametrize("document", LATEX)
def test_every_letter_stands_in_the_table_of_symbols(document: str) -> None:
    rows = [row for row in SYMBOLS if row["document"] == document]
    listed = set().union(*(letters(latex) for row in rows for latex in (row["symbol"], *re.findall(r"\$(.*?)\$", row["meaning"]))))
    used = set().union(*(letters(latex) for latex in LATEX[document].values()))
    assert used - listed - COUNTERS == set()
    assert len(used) >= 8


UNITS = {"", "rad", "rad/s", "rad/s²", "s", "m", "m/s", "m/s²", "kg", "kg m²", "N", "N m", "J"}


def test_names_and_units_beside_the_symbols_exist() -> None:
    sources = [path for room in ("algebra", "dynamics", "multibody") for path in (ROOT / "biomech_id" / room).rglob("*.py")]
    words = set().union(*(re.findall(r"\w+", path.read_text(encoding="utf-8")) for path in sources))
    for row in SYMBOLS:
        for span in re.findall(r"`([^`\"]+)`", row["here"]):
            assert set(re.findall(r"[A-Za-z_]\w+", span)) <= words | {"_lab_"}, row
        assert {unit.strip() for unit in row["unit"].split(",")} <= UNITS, row


def test_printed_wrenches_equal_ours(writer: Any) -> None:
    """Beside each other in the first document's table: fractions there, decimals here."""
    rows = [line.split(" | ") for line in writer.printed_wrenches().splitlines()[2:]]
    assert len(rows) == 25
    for *_, printed, ours in rows:
        as_decimals = re.sub(r"(\d+)/(\d+)", lambda m: f"{int(m[1]) / int(m[2]):.6g}", printed)
        assert as_decimals == ours.removesuffix(" |")


def test_every_figure_and_recipe_stands_on_a_page(writer: Any) -> None:
    pages = "".join((FOLDER / page).read_text(encoding="utf-8") for page in writer.PAGES.values())
    shown = set(re.findall(r"\]\(figures/([\w.]+)\)", pages))
    files = {path.name: path.stat().st_size for path in (FOLDER / "figures").iterdir()}
    assert shown == set(files)
    assert all(size < 300_000 for size in files.values())
    assert set(re.findall(r"<!-- generated: recipe (\w+\.py)", pages)) == {
        path.name for path in (ROOT / "pipelines" / "mechanics").glob("*.py")
    }


def clicks(page: Path) -> dict[tuple[Path, str], int]:
    """How many links away from a page every page and heading is that can be reached."""
    reached: dict[tuple[Path, str], int] = {}
    front = [page]
    for click in (1, 2, 3):
        following = []
        for source in front:
            for link in PAGE.finditer(source.read_text(encoding="utf-8")):
                goal = (source.parent / link["page"]).resolve()
                if (goal, link["anchor"] or "") not in reached and goal.is_file():
                    reached[goal, link["anchor"] or ""] = click
                    following.append(goal)
        front = list(dict.fromkeys(following))
    return reached


def test_every_item_is_three_clicks_from_the_index(writer: Any) -> None:
    near = clicks(DOCS / "index.md")
    for row in ITEMS:
        page = (FOLDER / writer.PAGES[row["document"]]).resolve()
        assert near[page, writer.anchor(row)] <= 3, name_of(row)
        assert f"\n### {writer.heading(row)}\n" in page.read_text(encoding="utf-8")


def test_the_twelve_by_twelve_stands_first_on_the_third_page(writer: Any) -> None:
    text = (FOLDER / writer.PAGES["3"]).read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, flags=re.MULTILINE)[0].startswith("The 12x12 and the 18x18")
