"""Pages of the gallery and the tutorials, made when the site is built: everything is run, and what it shows is on its page.

All of them run in one process, each with names of its own. One that fails stops the build.
"""

from __future__ import annotations

import ast
import io
import re
import tomllib
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]


def shown_by(names: dict[str, object], code: str) -> tuple[object, str]:
    """Run code among names; return the value of its last line, and what it printed."""
    body = ast.parse(code)
    last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(body, "example", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "example", "eval"), names)
    return value, printed.getvalue()


def drawn(value: object, printed: str, title: str, picture: Path) -> str:
    """Return what a reader sees of a cell's value; a figure is written as a picture."""
    if hasattr(value, "_repr_png_"):
        picture.parent.mkdir(exist_ok=True)
        picture.write_bytes(value._repr_png_())
        return f"![{title}]({picture.name})"
    if value is None and not printed:
        return ""
    said = printed if value is None else printed + repr(value)
    return f"```text\n{said[:1500]}\n```"


def page(path: Path) -> str:
    """Return the page of one example; its picture is written beside it."""
    text = path.read_text(encoding="utf-8")
    title, _, words = (ast.get_docstring(ast.parse(text)) or path.stem).partition("\n")
    _, setup, shown = re.split(r"^# %% ", text, flags=re.MULTILINE)
    setup, code = (part.partition("\n")[2].strip() for part in (setup, shown))
    names: dict[str, object] = {}
    shown_by(names, setup)
    seen = drawn(*shown_by(names, code), title, path.parent / "pages" / f"{path.stem}.png")
    parts = [f"# {title}", words.strip(), "What you have:", f"```python\n{setup}\n```", "What you type:", f"```python\n{code}\n```"]
    return "\n\n".join([*parts, *([seen] if seen else [])]) + "\n"


def steps(path: Path) -> tuple[str, list[tuple[str, str, str]]]:
    """Return a tutorial's introduction, with its title, and its steps: heading, words, code."""
    text = path.read_text(encoding="utf-8")
    _, *cells = re.split(r"^# %% ", text, flags=re.MULTILINE)
    found = []
    for heading, _, rest in (cell.partition("\n") for cell in cells):
        lines = rest.splitlines()
        n = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
        found.append((heading, " ".join(line.removeprefix("#").strip() for line in lines[:n]), "\n".join(lines[n:]).strip()))
    return ast.get_docstring(ast.parse(text)) or path.stem, found


def tutorial(path: Path) -> str:
    """Return the page of one tutorial: each step's words, code, and what it shows; its pictures are written beside it."""
    said, cells = steps(path)
    title, _, words = said.partition("\n")
    parts, names = [f"# {title}", words.strip()], {}
    for n, (heading, told, code) in enumerate(cells, start=1):
        seen = drawn(*shown_by(names, code), heading, path.parent / "pages" / f"{path.stem}_{n}.png")
        parts += [f"## {heading}", *filter(None, [told]), f"```python\n{code}\n```", *filter(None, [seen])]
    return "\n\n".join(parts) + "\n"


def questions() -> str:
    """Return the page of questions: each is a link to its answer."""
    asked = tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))["question"]
    links = (f"- [{each['asked']}](/{each['page']}.md)" for each in asked)
    return "---\nnosearch: true\n---\n\n# How do I ...\n\nEach question is one click from its answer.\n\n" + "\n".join(links) + "\n"


def write_pages(folder: Path, made: Callable[[Path], str], title: str, intro: str) -> None:
    """Write a page for every file of examples, and one that lists them."""
    (folder / "pages").mkdir(exist_ok=True)
    listed = []
    for path in sorted(folder.glob("*.py")):
        if "\n# %% " not in path.read_text(encoding="utf-8"):
            continue  # no example, but what draws pictures
        try:
            text = made(path)
        except Exception as error:
            from sphinx.errors import ExtensionError  # the tests read this module where there is no sphinx

            raise ExtensionError(f"The example {path.name} does not run: {error}") from error
        (folder / "pages" / f"{path.stem}.md").write_text(text, encoding="utf-8", newline="\n")
        listed.append(path.stem)
    contents = "\n".join(listed)
    index = f"# {title}\n\n{intro}\n\n```{{toctree}}\n:maxdepth: 1\n\n{contents}\n```\n"
    (folder / "pages" / "index.md").write_text(index, encoding="utf-8", newline="\n")


def write_gallery(app: Any) -> None:
    """Write the pages of gallery and tutorials."""
    intro = "Short examples in Python, each run when these pages were built, on the virtual subject that the library ships."
    write_pages(HERE / "gallery", page, "Gallery", intro)
    (HERE / "gallery" / "pages" / "how-do-i.md").write_text(questions(), encoding="utf-8", newline="\n")
    intro = "Six walks through a whole task, step by step; everything shown was computed when these pages were built."
    write_pages(HERE / "tutorials", tutorial, "Tutorials", intro)


def setup(app: Any) -> dict[str, bool]:
    """Make the pages before the sources are read."""
    app.connect("builder-inited", write_gallery)
    return {"parallel_read_safe": True}
