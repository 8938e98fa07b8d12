"""How the documentation site is built: ``make site``. Neither building nor reading it needs a network."""

from __future__ import annotations

import sys
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_extensions")]

import biomech_id  # noqa: E402

project = "biomech_id"
author = "The biomech_id developers"
project_copyright = author  # without a year: the same sources give the same pages
version = release = biomech_id.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "commands",
    "equations",
    "gallery",
    "site_search",
]
exclude_patterns = ["_build", "_extensions", "_templates"]
templates_path = ["_templates"]

# The pages are Markdown that reads as well where the sources are browsed; a heading is the same anchor there and here.
myst_heading_anchors = 4

# Formulas: $...$ in a line, a fence of "math" as a block, as where the sources are browsed; drawn by the reader's browser.
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
myst_update_mathjax = False
html_math_renderer = "mathml"

# A name in single backticks is a link wherever in the package it lives, and one that leads nowhere stops the build.
default_role = "any"
nitpick_ignore_regex = [
    # Types of other packages stay words: fetching where they are documented would need a network.
    (
        r"py:class",
        r"(Float|Bool|Int|ND)Array|ArrayLike|Artist|Axes|Figure|SubFigure|LineCollection|Executor|Future|Connection|Path|PathLike|(Str)?Enum(Type)?",
    ),
    # Short names of types that the module spells out where it defines them.
    (r"py:class", r"Place|LoopClosure|JointStep|Vector|Matrix|Judged|Decision|Factors|Grid|_State|Element|ResidualKey"),
    (r"py:class", r"RowName|Value|V|R|_Class|_Function|_Task|_Result|ToolSetup|Detection|PurePath|AbstractContextManager"),
    (r"py:class", r"Recalibrate|RendererBase|Result|SingleArray|TellEvent|Named|WalkTemplate|ASGIApp|Request|(subprocess\.)?Popen"),
    (r"py:class", r"BinaryIO|Traversable|Read|_?[PT](\.k?w?args)?"),
    (r"any|py:(class|obj)", r"(np|npt|pd|sp|numpy|pandas|sympy|matplotlib)\..*"),
    (r"any|py:(class|obj)", r"(enum|io|os|datetime|pathlib|collections|concurrent|ElementTree|tomllib)\..*"),
]

# A page a module, in files whose names are not those of the modules: a name in backticks must not mean a page.
autosummary_filename_map = {m.name: m.name.replace(".", "-") for m in walk_packages(biomech_id.__path__, "biomech_id.")}
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "special-members": "__getitem__, __call__", "exclude-members": "set"}
autodoc_typehints = "none"  # the docstrings say what each argument is
napoleon_google_docstring = False
napoleon_preprocess_types = False
add_module_names = False
highlight_language = "text"  # equations; examples say that they are Python
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 120
toc_object_entries = False  # else every sidebar is made from everything that every module defines

html_theme = "furo"
html_title = f"biomech_id {release}"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_search_scorer = str(HERE / "_static" / "search_scorer.js")
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


def colon_ends_the_first_line(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Keep napoleon from taking what stands before a colon, in the first line on an attribute, for its type."""
    if what in ("attribute", "data", "property") and lines and ": " in lines[0]:
        lines[:1] = lines[0].replace(": ", ":\n", 1).splitlines()


def short_sidebar(app: object, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Show beside a module its own branch alone: every module beside every module is a product of their number with itself."""
    if "toctree" in context and page.startswith("api/"):
        whole = context["toctree"]
        context["toctree"] = lambda **options: whole(**{**options, "collapse": True})


def setup(app: Any) -> None:
    """Rewrite docstrings before napoleon reads them, and sidebars before the theme draws them."""
    app.connect("autodoc-process-docstring", colon_ends_the_first_line, priority=400)
    app.connect("html-page-context", short_sidebar, priority=400)
