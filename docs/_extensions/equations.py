"""Mathematics as MathML, which browsers draw without a script or a network, and names of code on the documents' pages as links.

docutils writes MathML from LaTeX. Two things are put right here: there an index of a letter with a dot or an arrow stands below the
letter, and sine and cosine touch their neighbours.
"""

from __future__ import annotations

import csv
import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

HERE = Path(__file__).resolve().parents[1]
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
#: Entities that XML itself knows; docutils writes others by name, too.
ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\w+);)\w+;")
APPLY_FUNCTION = "\N{FUNCTION APPLICATION}"
#: Elements of MathML whose children stand side by side.
ROWS = ("math", "mrow", "mtd", "mstyle")


def mathml(latex: str, *, block: bool) -> str:
    """Return LaTeX as MathML; raise an error that names the LaTeX where it is none."""
    from docutils.utils.math import MathError
    from docutils.utils.math.latex2mathml import tex2mathml

    try:
        written = tex2mathml(latex.strip(), as_block=block)
    except MathError as error:
        raise ValueError(f"This is not LaTeX that can be drawn: {latex.strip()} ({error})") from error
    ET.register_namespace("", NAMESPACE)
    root = ET.fromstring(ENTITY.sub(lambda entity: unescape(entity[0]), written))
    _put_right(root)
    return ET.tostring(root, encoding="unicode")


def _made(tag: str, *children: ET.Element, **attributes: str) -> ET.Element:
    element = ET.Element(f"{{{NAMESPACE}}}{tag}", attributes)
    element.extend(children)
    return element


def _tag(element: ET.Element) -> str:
    return element.tag.partition("}")[2]


def _put_right(element: ET.Element) -> None:
    """Put right what is below an element, the innermost first."""
    for child in element:
        _put_right(child)
    children = [_scripts(child) for child in element]
    element[:] = _spaced(children) if _tag(element) in ROWS else children


def _spaced(children: list[ET.Element]) -> list[ET.Element]:
    """Return a row with a thin space before sine and cosine, and behind them where no bracket follows."""
    spaced = children[:1]
    for before, child in pairwise(children):
        behind_factor = _tag(before) != "mo" or before.text in (")", "]")
        if (child.text in ("sin", "cos") and behind_factor) or (before.text == APPLY_FUNCTION and child.text != "("):
            spaced.append(_made("mspace", width="0.17em"))
        spaced.append(child)
    return spaced


def _scripts(element: ET.Element) -> ET.Element:
    """Return an element with the indices of an accented letter behind it, and without space around a stroke."""
    tag, parts = _tag(element), list(element)
    if tag == "munderover" and _tag(parts[0]) != "mo" and _tag(parts[2]) == "mo":
        return _made("msub", _made("mover", parts[0], parts[2], accent="true"), parts[1])
    if tag == "msup" and _tag(parts[0]) == "msub" and _tag(parts[0][0]) == "mover":
        return _made("msubsup", *parts[0], parts[1])
    if tag == "mo" and element.text == "/":
        element.attrib.update(lspace="0", rspace="0")
    return element


def _inline(translator: Any, node: Any) -> None:
    from docutils import nodes

    translator.body.append(mathml(node.astext(), block=False))
    raise nodes.SkipNode


def _block(translator: Any, node: Any) -> None:
    from docutils import nodes

    translator.body.append(f'<div class="math">{mathml(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


def link_names(app: Any, doctree: Any) -> None:
    """Turn the functions that a source document's page names into links to the reference, and keep LaTeX out of the search."""
    from docutils import nodes
    from sphinx.addnodes import pending_xref

    for node in doctree.findall(lambda node: isinstance(node, (nodes.math, nodes.math_block))):
        node["classes"].append("no-search")
    if not app.env.docname.startswith("documents/"):
        return
    names = functions()
    for literal in [node for node in doctree.findall(nodes.literal) if node.astext() in names]:
        link = pending_xref("", refdomain="py", reftype="obj", reftarget=f"biomech_id.{literal.astext()}", refexplicit=True)
        link["refdoc"], link["refwarn"] = app.env.docname, True
        literal.replace_self(link)
        link += literal


def functions() -> set[str]:
    """Return the functions and classes of the library that stand beside the documents' equations."""
    with (HERE / "documents" / "items.csv").open(encoding="utf-8", newline="") as stream:
        named = {name for row in csv.DictReader(stream) for name in row["function"].split(";")}
    return {name for name in named if name and not name.startswith("docs.")}


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    app.connect("doctree-read", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
