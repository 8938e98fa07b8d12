"""Pages of the gallery, made when the site is built: every example is run, and what it shows is on its page.

All examples run in one process, each with names of its own. An example that fails stops the build.
"""

from __future__ import annotations

import ast
import io
import re
import tomllib
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]


def shown_by(setup: str, code: str) -> tuple[object, str]:
    """Run an example; return the value of its last line, and what it printed."""
    names: dict[str, object] = {}
    exec(compile(setup, "what you have", "exec"), names)
    body = ast.parse(code)
    last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(body, "example", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "example", "eval"), names)
    return value, printed.getvalue()


def page(path: Path) -> str:
    """Return the page of one example; its picture is written beside it."""
    text = path.read_text(encoding="utf-8")
    title, _, words = (ast.get_docstring(ast.parse(text)) or path.stem).partition("\n")
    _, setup, shown = re.split(r"^# %% ", text, flags=re.MULTILINE)
    setup, code = (part.partition("\n")[2].strip() for part in (setup, shown))
    value, printed = shown_by(setup, code)
    parts = [f"# {title}", words.strip(), "What you have:", f"```python\n{setup}\n```", "What you type:", f"```python\n{code}\n```"]
    if hasattr(value, "_repr_png_"):
        (path.parent / "pages" / f"{path.stem}.png").write_bytes(value._repr_png_())
        parts.append(f"![{title}]({path.stem}.png)")
    elif value is not None or printed:
        said = printed if value is None else printed + repr(value)
        parts.append(f"```text\n{said[:1500]}\n```")
    return "\n\n".join(parts) + "\n"


def questions() -> str:
    """Return the page of questions: each is a link to its answer."""
    asked = tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))["question"]
    links = (f"- [{each['asked']}](/{each['page']}.md)" for each in asked)
    return "# How do I ...\n\nEach question is one click from its answer.\n\n" + "\n".join(links) + "\n"


def write_gallery(app: Any) -> None:
    """Write a page for every example, and one that lists them."""
    folder = HERE / "gallery" / "pages"
    folder.mkdir(exist_ok=True)
    titles = []
    for path in sorted((HERE / "gallery").glob("*.py")):
        if "\n# %% " not in path.read_text(encoding="utf-8"):
            continue  # no example, but what draws pictures
        try:
            made = page(path)
        except Exception as error:
            from sphinx.errors import ExtensionError  # the tests read this module where there is no sphinx

            raise ExtensionError(f"The example {path.name} does not run: {error}") from error
        (folder / f"{path.stem}.md").write_text(made, encoding="utf-8", newline="\n")
        titles.append(path.stem)
    (folder / "how-do-i.md").write_text(questions(), encoding="utf-8", newline="\n")
    listed = "\n".join(titles)
    intro = "Short examples in Python, each run when these pages were built, on the virtual subject that the library ships."
    (folder / "index.md").write_text(f"# Gallery\n\n{intro}\n\n```{{toctree}}\n{listed}\n```\n", encoding="utf-8", newline="\n")


def setup(app: Any) -> dict[str, bool]:
    """Make the pages before the sources are read."""
    app.connect("builder-inited", write_gallery)
    return {"parallel_read_safe": True}
