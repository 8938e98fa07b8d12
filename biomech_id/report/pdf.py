"""From tables to a PDF: every page with its header and footer, fonts embedded, the same bytes for the same tables."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.text import Text

from biomech_id.errors import OptionError
from biomech_id.files.atomic import whole_file
from biomech_id.report.book import ReportPart, session_pages, session_style, wanted_pages
from biomech_id.report.layout.bookmarks import with_bookmarks
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, SIGNATURE, Sheet
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.layout.typography import drawable, shortened
from biomech_id.report.pages.cover import session_line
from biomech_id.report.panels.norm import NormSource, with_norm
from biomech_id.report.panels.page import Page
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.step import Progress, Step, begin
from biomech_id.values import dataclass, replace

#: Longer codes are shortened in the header (the cover prints them whole).
_CODE_ROOM_MM = 90.0
#: Height of the line that says on every sheet who signed it, from the sheet's top; width of the place on page 1.
_SIGNED_MM, _PLACE_MM = 207.6, 73.0


@dataclass(frozen=True)
class Signed:
    """Who signed a report, and which one.

    Attributes
    ----------
    name, role : str
        The person, and one of the roles that may sign.
    time : str
        When it was signed, as ISO 8601 writes it.
    code : str
        The first digits of the entry's hash, which tie the paper to the chain of signatures.
    report_sha256 : str
        Of the report that was signed.
    replaces : tuple[int, str] | None
        Version and time of the one before.
    """

    name: str
    role: str
    time: str
    code: str
    report_sha256: str
    replaces: tuple[int, str] | None = None

    def text(self, style: Style) -> str:
        """Return the line in a report's language.

        Parameters
        ----------
        style : Style
            Holds the words.
        """
        known = {"name": self.name, "role": style.label(f"signed.{self.role}"), "time": _minute(self.time), "code": self.code}
        line = style.label("signed.line", **known)
        if self.replaces is None:
            return line
        version, time = self.replaces
        return f"{line} · {style.label('signed.replaces', version=version, time=_minute(time))}"


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")


def draw_report(
    tables: Tables,
    path: str | Path,
    *,
    norm: NormSource = None,
    pages: Iterable[str] | None = None,
    appendix: bool = False,
    style: Style | str | Path | None = None,
    mix: Collection[str] = (),
    norm_for: str | None = None,
    patterns: str | Path = "",
    progress: Progress | None = None,
    printed: list[str] | None = None,
    signed: Signed | None = None,
) -> Path:
    """Draw the report of one session: what everybody reads, or its appendix.

    Parameters
    ----------
    tables : Tables
        The session, fresh from an analysis or read back from its folder.
    path : str | Path
        PDF to write; it appears whole or not at all.
    norm : NormSource, optional
        DataFrame as in ``norm.csv``, or the path of such a file; None takes the session's own.
    pages : Iterable[str] | None, optional
        Names out of `book.page_names()`; None draws the standard report.
    appendix : bool, optional
        Whether the pages are drawn that the standard report leaves out, numbered from A1; not together with ``pages``.
    style : Style | str | Path | None, optional
        A `Style`, or a laboratory's style file.
    mix : Collection[str], optional
        In what norm and session may differ (`session.values.fingerprint.FINGERPRINT`), "bandwidth" say.
    norm_for : str | None, optional
        Whose norm it is: "everybody", "age" or "speed"; None takes that of the session's recipe.
    patterns : str | Path, optional
        File of a laboratory's own rules of gait patterns; empty for those that are shipped.
    progress : Progress | None, optional
        Called as each page is written.
    printed : list[str] | None, optional
        Takes every text that stands on a page or in the file's metadata, for whoever looks through them.
    signed : Signed | None, optional
        Who signed; it stands on every page of a report that without it is, byte for byte, the one that was signed.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    OptionError
        An unknown page, a style file that cannot be used, a norm of another model or without all its rows;
        another report than was signed.
    ShapeError, FileRefusedError
        A norm that lacks columns, or cannot be read.
    OutputError
        The PDF cannot be written.
    """
    made, look, title = pages_of(
        tables, norm=norm, pages=pages, appendix=appendix, style=style, mix=mix, norm_for=norm_for, patterns=patterns
    )
    with mpl.rc_context(look.rc), no_collector():
        if printed is not None:
            printed += [title, *texts_on(made)]
        if signed is not None:
            _check_signed(pdf_bytes(made, look, title=title), signed)
            _draw_signed(made, session_style(tables, look), signed)
        return write_pdf(made, Path(path), look, title=title, progress=progress)


def pages_of(
    tables: Tables,
    *,
    norm: NormSource = None,
    pages: Iterable[str] | None = None,
    appendix: bool = False,
    style: Style | str | Path | None = None,
    mix: Collection[str] = (),
    norm_for: str | None = None,
    patterns: str | Path = "",
) -> tuple[list[Page], Style, str]:
    """Draw the pages of a report, with header and footer, but write them nowhere.

    Parameters
    ----------
    tables, norm, pages, appendix, style, mix, norm_for, patterns
        As for `draw_report`.

    Returns
    -------
    tuple[list[Page], Style, str]
        Pages, their look, and the document's title.

    Raises
    ------
    OptionError
        The appendix and pages by name; an unknown page; what `draw_report` refuses besides.
    """
    if appendix and pages is not None:
        raise OptionError(
            "Pages asked for by name and the appendix do not go together: leave one of them out.",
            value=pages, expected="pages or appendix", where="pages",
        )  # fmt: skip
    wanted = wanted_pages(pages)
    part = ReportPart.WHOLE if pages is not None else ReportPart.APPENDIX if appendix else ReportPart.STANDARD
    look = style if isinstance(style, Style) else load_style(style)
    tables, reference = with_norm(norm, tables, mix=mix, norm_for=norm_for, patterns=str(patterns))
    coded = bool(tables.manifest.get("coded"))
    drawn = drawn_with(norm, style, pages, mix, norm_for=norm_for, coded=coded)
    drawn |= {"--patterns": ["patterns" if coded else Path(patterns).name]} if patterns else {}
    tables = replace(tables, manifest={**tables.manifest, "drawn": drawn})
    with mpl.rc_context(look.rc), no_collector():
        made = list(session_pages(tables, look, reference, wanted, part))
        code = subject_code(tables, look)
        stamp(made, look, code=code, session=session_line(tables, look), version=made_with(tables), appendix=appendix)
    return made, look, f"{session_style(tables, look).label('page.cover')}: {code}"


def file_names(pages: Sequence[Page], *, appendix: bool = False) -> list[str]:
    """Return what the picture of each page is called, without a suffix: number and name; those of an appendix begin with A.

    Parameters
    ----------
    pages : Sequence[Page]
        Drawn pages in the order of the report.
    appendix : bool, optional
        Whether they are the appendix's.
    """
    return [f"{'A' if appendix else ''}{number:02d}-{page.name}" for number, page in enumerate(pages, 1)]


def texts_on(pages: Iterable[Page]) -> Iterator[str]:
    """Yield every text on some pages, their titles first.

    Parameters
    ----------
    pages : Iterable[Page]
        Drawn pages, whose texts are read.
    """
    for page in pages:
        yield page.title
        yield from (text.get_text() for text in page.figure.findobj(Text))


def drawn_with(
    norm: NormSource,
    style: object,
    pages: Iterable[str] | None,
    mix: Collection[str],
    *,
    norm_for: str | None = None,
    coded: bool = False,
) -> dict[str, list[str]]:
    """Return option -> what stands behind it, of a report that was drawn with more than the session's own tables.

    Parameters
    ----------
    norm : NormSource
        Only a file can be named in a command.
    style : object
        Only a file, or the name of a shipped style, can.
    pages : Iterable[str] | None
        Names of pages; None for all.
    mix : Collection[str]
        In what norm and session may differ.
    norm_for : str | None, optional
        Whose norm it is; None where nobody said.
    coded : bool, optional
        Whether files are not named, for their names may hold a person's.
    """
    files = {"--norm": norm, "--style": style}
    named = {
        option: [option.strip("-") if coded else Path(file).name] for option, file in files.items() if isinstance(file, (str, Path))
    }
    asked = {"--pages": [pages] if isinstance(pages, str) else list(pages or ()), "--mix": list(mix)}
    asked |= {"--norm-for": [norm_for] if norm_for else []}
    return {**named, **{option: words for option, words in asked.items() if words}}


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """Keep Python's cycle collector from walking, again and again, thousands of artists that all live until the file is closed."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def subject_code(tables: Tables, style: Style) -> str:
    """The subject's code, or the words for a code that is not recorded.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    return str(tables.summary.get("subject", {}).get("code") or style.label("common.no_code"))


def made_with(tables: Tables) -> str:
    """Version of this package that made the tables.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    """
    return str(tables.summary.get("version", "?"))


def stamp(pages: Sequence[Page], style: Style, *, code: str, session: str, version: str, appendix: bool = False) -> None:
    """Write header and footer of every page, once their number is known.

    Parameters
    ----------
    pages : Sequence[Page]
        In the order of the report.
    style : Style
        Colours, words, scales and units of the report.
    code : str
        Pseudonym or name of the person, as printed.
    session : str
        Date of the session.
    version : str
        Version of this package that drew the page.
    appendix : bool, optional
        Whether the numbers are those of an appendix: A1, A2 ...
    """
    before = "A" if appendix else ""
    short = shortened(code, _CODE_ROOM_MM, style.size("heading"), weight="bold")
    made_by = style.label("page.version", version=version)
    for number, page in enumerate(pages, 1):
        Sheet(style, page.figure).head_and_foot(page.title, short, session, f"{before}{number}", f"{before}{len(pages)}", made_by)


def _check_signed(content: bytes, signed: Signed) -> None:
    """Refuse another report than the one that was signed.

    Raises
    ------
    OptionError
        It has other bytes.
    """
    own = hashlib.sha256(content).hexdigest()
    if own != signed.report_sha256:
        raise OptionError(
            f"Drawn without a signature this is another report than the one that {signed.name} signed "
            f"(its hash begins {own[:12]}, not {signed.report_sha256[:12]}): take the options and version it was drawn with.",
            value=own, expected=signed.report_sha256, where="signature",
        )  # fmt: skip


def _draw_signed(pages: Iterable[Page], style: Style, signed: Signed) -> None:
    """Say below every page's foot who signed, and again in the place that page 1 keeps for it."""
    line, size = signed.text(style), style.size("tiny")
    who = shortened(f"{_minute(signed.time)}, {signed.name}, {style.label(f'signed.{signed.role}')}", _PLACE_MM, size)
    for page in pages:
        sheet = Sheet(style, page.figure)
        sheet.text(LEFT_MM, _SIGNED_MM, shortened(line, RIGHT_MM - LEFT_MM, size, weight="bold"), size="tiny", weight="bold")
        for place in page.figure.findobj(lambda artist: artist.get_label() == SIGNATURE):
            if isinstance(place, Text):
                place.set_text(drawable(who, style.family))


def write_pdf(pages: Sequence[Page], path: Path, style: Style, *, title: str, progress: Progress | None = None) -> Path:
    """Write pages as vector graphics, each with a bookmark; the file appears whole or not at all.

    Parameters
    ----------
    pages : Sequence[Page]
        Drawn pages in the order of the report.
    path : Path
        The PDF file; an existing one is replaced.
    style : Style
        Its language is that of the file's title.
    title : str
        Of the whole document, which readers show in place of the file's name.
    progress : Progress | None, optional
        Called before each page is written.

    Raises
    ------
    OutputError
        The folder cannot be written to.
    """
    content = pdf_bytes(pages, style, title=title, progress=progress)
    with whole_file(path) as part:
        part.write_bytes(content)
    return path


def pdf_bytes(pages: Sequence[Page], style: Style, *, title: str, progress: Progress | None = None) -> bytes:
    """Return what `write_pdf` writes.

    Parameters
    ----------
    pages, style, title, progress
        As for `write_pdf`.
    """
    from biomech_id.report.layout.pdf_pages import written_pages

    # Neither a date nor a producer's version: the same tables give the same bytes.
    metadata = {"CreationDate": None, "Producer": None, "Creator": "biomech_id", "Title": title}
    # Written in memory: where a disk is full, matplotlib would go on to close the file and fall over what it could not write.
    content = io.BytesIO()
    for _ in written_pages(content, _begun(pages, progress), metadata):
        pass
    return with_bookmarks(content.getvalue(), [page.title for page in pages], language=style.language)


def _begun(pages: Sequence[Page], progress: Progress | None) -> Iterator[Figure]:
    for number, page in enumerate(pages, 1):
        if progress is not None:
            progress(Step("draw", page.title, number, len(pages)))
        yield page.figure
    begin("PDF")
