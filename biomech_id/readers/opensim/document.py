"""OpenSim's XML documents, read safely: no entities, no network; and the few ways in which they hold numbers and objects."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError, InvalidValueError
from biomech_id.files.inputs import read_input
from biomech_id.files.text import read_problem

#: What OpenSim's programs write into an element that names nothing.
NOTHING = ("", "Unassigned")
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_DECLARED = re.compile(rb"^<\?xml[^>]*encoding=[\"']([A-Za-z0-9._-]+)[\"']")
#: Elements whose numbers may be infinite.
_UNBOUNDED = ("range", "time_range")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
#: How the tags of forces end that act without being driven.
PASSIVE_KINDS = ("Force", "Spring", "Ligament")
#: Of these the whole objects; properties begin with a small letter: ``appliesForce``.
_PASSIVE_OBJECT = re.compile(rf"<((?=[A-Z])\w*(?:{'|'.join(PASSIVE_KINDS)}))(?=[\s/>])[^>]*?(?:/>|>.*?</\1\s*>)", re.DOTALL)
#: What a set says of kinds of objects, which OpenSim heeds of a model only; and which objects belong together.
_DEFAULTS = re.compile(r"<defaults(?:\s[^>]*)?(?<!/)>.*?</defaults\s*>", re.DOTALL)
_GROUP = re.compile(r"<ObjectGroup\b.*?</ObjectGroup\s*>", re.DOTALL)
#: Tags such as ``HuntCrossleyForce::ContactParametersSet``, which XML's name spaces do not allow.
_COLONS = re.compile(r"(</?[A-Za-z_][\w.]*)::")


def read_document(path: Path, *, actuators: bool = True) -> ElementTree.Element:
    """Return the root of one of OpenSim's XML documents.

    Parameters
    ----------
    path : Path
        An XML file: a model, a setup, external loads.
    actuators : bool, optional
        Whether a model's muscles and motors are wanted. They are most of a document, and quicker skipped than read; what acts by
        itself, such as springs and contacts, stays.

    Returns
    -------
    ElementTree.Element
        The root; colons in tags stand as two dots (see `with_colons`).

    Raises
    ------
    FileRefusedError
        It cannot be read, is not XML, or defines entities, which OpenSim's documents never do.
    """
    try:
        text = _decoded(read_input(path))
        text = text if actuators else _without_actuators(text)
        if "<!ENTITY" in text:
            raise FileRefusedError(
                f"{path.name} defines XML entities, which no OpenSim document does.",
                value="<!ENTITY", expected="a plain OpenSim document", where=str(path),
            )  # fmt: skip
        # Comments, thousands of them, go to whatever costs least.
        parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(comment_factory=str))  # type: ignore[arg-type]
        parser.feed(_COLONS.sub(r"\1..", text) if "::" in text else text)
        root: ElementTree.Element = parser.close()
        return root
    except (OSError, ElementTree.ParseError, ValueError, LookupError) as error:
        problem = read_problem(error) if isinstance(error, OSError) else error
        raise FileRefusedError(
            f"{path.name} cannot be read as an OpenSim document: {problem}.", value=str(error), expected="XML", where=str(path)
        ) from error


def _without_actuators(text: str) -> str:
    """The text whose one ForceSet holds only what acts by itself; as it is where there are none or several sets."""
    text = _COMMENT.sub("", text)
    start, end = text.find("<ForceSet"), text.rfind("</ForceSet>")
    if not 0 <= start < end or text.find("<ForceSet", start + 1, end) >= 0:
        return text
    forces = _DEFAULTS.sub("", text[start:end])
    inside = "".join(match.group() for match in _PASSIVE_OBJECT.finditer(forces))
    groups = "".join(_GROUP.findall(forces))
    return f"{text[:start]}<ForceSet><objects>{inside}</objects><groups>{groups}</groups>{text[end:]}"


def with_colons(text: str) -> str:
    """Give tags back the colons that reading had to take from them.

    Parameters
    ----------
    text : str
        A document as text, with the tags as they were read.

    Returns
    -------
    str
        The same document.
    """
    return re.sub(r"(</?[A-Za-z_]\w*)\.\.", r"\1::", text)


def _decoded(raw: bytes) -> str:
    """Text in the encoding that the file's first bytes name; the declaration is dropped, as it does not hold any more."""
    declared = _DECLARED.match(raw)
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS.items() if raw.startswith(mark)), None)
    encoding = encoding or (declared.group(1).decode() if declared else "utf-8")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        if encoding.lower() not in ("utf-8", "utf8"):
            raise
        # Windows programs write their own code page below a line that says UTF-8; OpenSim takes it.
        text = raw.decode("cp1252")
    return re.sub(r"^\s*<\?xml[^>]*\?>", "", text, count=1)


def element_text(element: ElementTree.Element, tag: str) -> str:
    """Return the text of a child, "" where there is none or it names nothing.

    Parameters
    ----------
    element : ElementTree.Element
        The element that has the child.
    tag : str
        Tag of the child, of which the first is taken.

    Returns
    -------
    str
        Blanks at the ends removed.
    """
    text = (element.findtext(tag) or "").strip()
    return "" if text in NOTHING else text


def is_true(element: ElementTree.Element, tag: str, default: bool = False) -> bool:
    """Whether a child says true.

    Parameters
    ----------
    element : ElementTree.Element
        The element that has the child.
    tag : str
        Tag of the child, of which the first is taken.
    default : bool, optional
        Where there is no such child.

    Returns
    -------
    bool
        The default where there is no such child, or it says nothing.
    """
    text = element_text(element, tag).lower()
    return default if not text else text in ("true", "1")


def element_numbers(element: ElementTree.Element, tag: str, count: int | None, where: str) -> FloatArray:
    """Return the numbers (n,) of a child; none where there is no such child and any count will do.

    Parameters
    ----------
    element : ElementTree.Element
        The element that has the child.
    tag : str
        Tag of the child, of which the first is taken.
    count : int | None
        How many there have to be; None for any.
    where : str
        File, for the error message.

    Returns
    -------
    FloatArray
        (n,), in the document's unit.

    Raises
    ------
    InvalidValueError
        Something else than numbers, or another count; the message names the object.
    """
    text = element_text(element, tag)
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        numbers = _loosely(text)
    if (count is not None and len(numbers) != count) or not all(map(_known if tag in _UNBOUNDED else math.isfinite, numbers)):
        raise InvalidValueError(
            f"The {tag} of {described(element)} is {text[:60]!r}.", value=text[:60],
            expected="numbers" if count is None else f"{count} numbers", where=where,
        )  # fmt: skip
    return np.array(numbers)


def _known(value: float) -> bool:
    return value == value


def _loosely(text: str) -> list[float]:
    """Numbers in brackets or between commas; one NaN where they are none."""
    try:
        return [float(word) for word in text.strip("()").replace(",", " ").split()]
    except ValueError:
        return [np.nan]


def element_number(element: ElementTree.Element, tag: str, default: float, where: str) -> float:
    """Return the number in a child.

    Parameters
    ----------
    element : ElementTree.Element
        The element that has the child.
    tag : str
        Tag of the child, of which the first is taken.
    default : float
        Where there is no such child.
    where : str
        File, for the error message.

    Returns
    -------
    float
        In the document's unit; the default where there is none.

    Raises
    ------
    InvalidValueError
        Something else than one number; the message names the object.
    """
    return float(element_numbers(element, tag, 1, where)[0]) if element_text(element, tag) else default


def described(element: ElementTree.Element) -> str:
    """An object as messages call it: kind and name.

    Parameters
    ----------
    element : ElementTree.Element
        Any object of a document, with or without a name.

    Returns
    -------
    str
        The tag alone where it has no name.
    """
    name = element.get("name", "")
    return f"{element.tag} {name}" if name else element.tag


def body_fixed(angles_rad: FloatArray) -> FloatArray:
    """Rotation (3, 3) of turns about x, y and z that each follow the turns before.

    Parameters
    ----------
    angles_rad : FloatArray
        (3,), angles about x, y and z in this order, rad.

    Returns
    -------
    FloatArray
        (3, 3), maps components in the turned frame to those in the frame before.
    """
    x, y, z = angles_rad.tolist()
    if x == y == z == 0.0:
        return np.eye(3)
    (cx, sx), (cy, sy), (cz, sz) = ((math.cos(angle), math.sin(angle)) for angle in (x, y, z))
    return np.array([
        [cy * cz, -cy * sz, sy],
        [cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy],
        [sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy],
    ])  # fmt: skip


def objects_in(element: ElementTree.Element | None, tag: str) -> Iterator[ElementTree.Element]:
    """Yield the objects of a set, whether the file lists them under ``objects`` or not.

    Parameters
    ----------
    element : ElementTree.Element | None
        What holds the set; nothing comes of None.
    tag : str
        Tag of the set: "BodySet", "JointSet".

    Yields
    ------
    Iterator[ElementTree.Element]
        In the document's order; groups and defaults are left out.
    """
    group = element.find(tag) if element is not None else None
    if group is not None:
        listed = group.find("objects")
        yield from listed if listed is not None else (child for child in group if child.tag not in ("groups", "defaults"))


def socket(element: ElementTree.Element, new: str, old: str) -> str:
    """What an object names as its frame or coordinate, whichever way its version writes it; "" for nothing.

    Parameters
    ----------
    element : ElementTree.Element
        The object that has the socket.
    new, old : str
        Name of the socket, and the tag of versions before 4.

    Returns
    -------
    str
        A path or a name, as the document has it.
    """
    for tag in (f"socket_{new}", f"socket_{new}_connectee_name", old):
        if path := element_text(element, tag):
            return path
    for connector in element.iterfind("connectors/*"):
        if connector.get("name") == new:
            return element_text(connector, "connectee_name")
    return ""
