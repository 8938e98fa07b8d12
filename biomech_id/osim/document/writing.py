"""OpenSim's XML documents, as nested Python values turned into elements."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path

from biomech_id.writers.opensim_text import number

#: Version of the documents that OpenSim 4.x writes; later programs read it too.
DOCUMENT_VERSION = "40000"


def element(tag: str, *children: ElementTree.Element, text: object = None, **attributes: str) -> ElementTree.Element:
    """Make an XML element with children or a text.

    Parameters
    ----------
    tag : str
        Its name in the document.
    text : object, optional
        A word, a truth value, a number or several numbers.
    *children : ElementTree.Element
        In the order written.
    attributes : str
        Values of its attributes, by their names.

    Returns
    -------
    ElementTree.Element
        Not yet part of any document.
    """
    made = ElementTree.Element(tag, attributes)
    made.extend(children)
    if text is not None:
        made.text = _words(text)
    return made


def properties(**texts: object) -> tuple[ElementTree.Element, ...]:
    """Make an element for each name that holds its value.

    Parameters
    ----------
    texts : object
        What each element holds (a word, a truth value, one or several numbers), by the element's name.

    Returns
    -------
    tuple[ElementTree.Element, ...]
        In the order given.
    """
    return tuple(element(tag, text=text) for tag, text in texts.items())


def object_set(tag: str, objects: Iterable[ElementTree.Element], **attributes: str) -> ElementTree.Element:
    """Make one of OpenSim's sets: ``objects`` and empty ``groups``.

    Parameters
    ----------
    tag : str
        Name of the set, such as ``MarkerSet``.
    objects : Iterable[ElementTree.Element]
        In the order written.
    attributes : str
        Values of the set's attributes, by their names.

    Returns
    -------
    ElementTree.Element
        Not yet part of any document.
    """
    return element(tag, element("objects", *objects), element("groups"), **attributes)


def write_document(path: Path, content: ElementTree.Element, *, comment: str = "") -> Path:
    """Write an element as OpenSim's document.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    content : ElementTree.Element
        The element below ``OpenSimDocument``.
    comment : str, optional
        For whoever opens the file.

    Returns
    -------
    Path
        ``path``.
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
