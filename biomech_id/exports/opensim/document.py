"""OpenSim's XML documents, as nested Python values turned into elements."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path

from biomech_id.exports.opensim.text import number

#: Version of the documents that OpenSim 4.x writes; later programs read it too.
DOCUMENT_VERSION = "40000"


def element(tag: str, *children: ElementTree.Element, text: object = None, **attributes: str) -> ElementTree.Element:
    """Return an element with children, or with a text: a word, a truth value, a number or several numbers.

    Parameters
    ----------
    tag : str
        Of the element.
    text : object, optional
        A word, a truth value, a number or several numbers.
    *children : ElementTree.Element
        In the order written.
    attributes : str
        Name -> text.
    """
    made = ElementTree.Element(tag, attributes)
    made.extend(children)
    if text is not None:
        made.text = _words(text)
    return made


def properties(**texts: object) -> tuple[ElementTree.Element, ...]:
    """Return an element for each name, holding its value.

    Parameters
    ----------
    texts : object
        Name -> value.
    """
    return tuple(element(tag, text=text) for tag, text in texts.items())


def object_set(tag: str, objects: Iterable[ElementTree.Element], **attributes: str) -> ElementTree.Element:
    """Return one of OpenSim's sets.

    Parameters
    ----------
    tag : str
        Of the element.
    objects : Iterable[ElementTree.Element]
        In the order written.
    attributes : str
        Name -> text.
    """
    return element(tag, element("objects", *objects), element("groups"), **attributes)


def write_document(path: Path, content: ElementTree.Element, *, comment: str = "") -> Path:
    """Write a document that holds ``content`` and return its path.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    content : ElementTree.Element
        The element below ``OpenSimDocument``.
    comment : str, optional
        For whoever opens the file.
    """
    root = element("OpenSimDocument", Version=DOCUMENT_VERSION)
    if comment:
        root.append(ElementTree.Comment(f" {comment} "))
    root.append(content)
    ElementTree.indent(root, "\t")
    text = ElementTree.tostring(root, encoding="unicode")
    path.write_text(f'<?xml version="1.0" encoding="UTF-8" ?>\n{text}\n', encoding="utf-8", newline="\n")
    return path


def _words(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float | int):
        return number(value)
    if isinstance(value, Iterable):
        return " ".join(_words(part) for part in value)
    return str(value)
