"""Bookmarks of a PDF: one for every page, so that a reader's side panel lists the report.

Matplotlib writes none. A PDF may be amended by appending to it (ISO 32000-1, 7.5.6): a new catalog that names an outline, the
outline with an entry for each page (12.3.3), and a second table of where objects begin. Not a byte of the pages changes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PAGES = re.compile(rb"(\d+) 0 obj\s*<< /Type /Pages\s*/Kids \[([^\]]*)\]")
_TRAILER = re.compile(rb"trailer\s*<< /Size (\d+) /Root (\d+) 0 R /Info (\d+) 0 R >>\s*startxref\s*(\d+)\s*%%EOF\s*$")


def with_bookmarks(content: bytes, titles: Sequence[str], *, language: str) -> bytes:
    """Return a PDF with bookmarks.

    Parameters
    ----------
    content : bytes
        Of a PDF that matplotlib has written.
    titles : Sequence[str]
        One for each page, in their order.
    language : str
        Of the text, as in ``en``.
    """
    pages, trailer = _PAGES.search(content), _TRAILER.search(content)
    # Another layout of a later matplotlib: a report without bookmarks is still a report.
    if pages is None or trailer is None:
        return content
    tree, kids = int(pages.group(1)), [int(number) for number in re.findall(rb"(\d+) 0 R", pages.group(2))]
    size, catalog, info, start = (int(number) for number in trailer.groups())
    objects = {catalog: f"<< /Type /Catalog /Pages {tree} 0 R /Outlines {size} 0 R /PageMode /UseOutlines /Lang ({language})"
                        " /ViewerPreferences << /DisplayDocTitle true >> >>"}  # fmt: skip
    last = size + len(titles)
    objects[size] = f"<< /Type /Outlines /First {size + 1} 0 R /Last {last} 0 R /Count {len(titles)} >>"
    for number, (title, page) in enumerate(zip(titles, kids, strict=True), size + 1):
        before = f" /Prev {number - 1} 0 R" if number > size + 1 else ""
        after = f" /Next {number + 1} 0 R" if number < last else ""
        objects[number] = f"<< /Title {_text(title)} /Parent {size} 0 R{before}{after} /Dest [{page} 0 R /Fit] >>"
    return content + _amendment(objects, len(content), f"/Size {last + 1} /Root {catalog} 0 R /Info {info} 0 R /Prev {start}")


def _text(text: str) -> str:
    """A PDF text string in UTF-16, which holds every letter."""
    return f"<FEFF{text.encode('utf-16-be').hex().upper()}>"


def _amendment(objects: dict[int, str], offset: int, trailer: str) -> bytes:
    """Objects, where each begins, and the trailer that leads to the older table."""
    body, table = b"", b"xref\n0 1\n0000000000 65535 f \n"
    for number, content in sorted(objects.items()):
        table += b"%d 1\n%010d 00000 n \n" % (number, offset + len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content.encode("ascii"))
    return body + table + b"trailer\n<< %s >>\nstartxref\n%d\n%%%%EOF\n" % (trailer.encode("ascii"), offset + len(body))
