"""A page: landscape A4, measured in millimetres from the top left corner, with the report's header and footer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from biomech_id.report.layout.notebook import NotebookFigure
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import MM_PER_POINT, TextLook, drawable, wrapped
from biomech_id.report.layout.words import Words
from biomech_id.values import dataclass, field

WIDTH_MM, HEIGHT_MM = 297.0, 210.0
#: Content lies inside this box: left, top, right, bottom edges in millimetres from the top left corner.
LEFT_MM, TOP_MM, RIGHT_MM, BOTTOM_MM = 12.0, 22.0, 285.0, 198.0
MM_PER_INCH = 25.4
#: Label of the text in whose place a signed report says who signed.
SIGNATURE = "signature"


@dataclass(frozen=True)
class Sheet:
    """One page under construction.

    Attributes
    ----------
    style : Style
        Decides colours, type and labels.
    figure : Figure, optional
        Matplotlib's figure of the page.
    """

    style: Style
    figure: Figure = field(default_factory=lambda: NotebookFigure(figsize=(WIDTH_MM / MM_PER_INCH, HEIGHT_MM / MM_PER_INCH)))

    def panel(self, left_mm: float, top_mm: float, width_mm: float, height_mm: float) -> Panel:
        """Add a panel whose frame is at this place.

        Parameters
        ----------
        left_mm : float
            From the sheet's left.
        top_mm : float
            From the sheet's top.
        width_mm : float
            Width of the frame, millimetres.
        height_mm : float
            Height of the frame, millimetres.
        """
        place = (left_mm / WIDTH_MM, 1 - (top_mm + height_mm) / HEIGHT_MM, width_mm / WIDTH_MM, height_mm / HEIGHT_MM)
        panel = Panel(self.figure, place, size_mm=(width_mm, height_mm), style=self.style)
        self.figure.add_axes(panel)
        return panel

    def note(
        self, text: str, top_mm: float, *, left_mm: float = LEFT_MM, right_mm: float = RIGHT_MM, most: int | None = None
    ) -> float:
        """Write small print between two edges, on as many lines as it takes or on ``most``; return where it ends.

        Parameters
        ----------
        text : str
            Words of the note, with line breaks.
        top_mm : float
            From the sheet's top.
        left_mm : float, optional
            From the sheet's left.
        right_mm : float, optional
            How far to the right.
        most : int | None, optional
            Lines at most; None for no limit.
        """
        lines = wrapped(text, right_mm - left_mm, self.style.size("tiny"), most=most)
        return self.paragraph(left_mm, top_mm, lines, size="tiny", colour="quiet")

    def text(
        self, x_mm: float, y_mm: float, text: str, *, size: str = "body", colour: str = "ink", **how: Unpack[TextLook]
    ) -> Text:
        """Write text whose baseline's left end is at this place (``ha``, ``va`` and others as in matplotlib).

        Parameters
        ----------
        x_mm : float
            From the sheet's left.
        y_mm : float
            From the sheet's top.
        text : str
            Words that are written, in one line.
        size : str, optional
            Name of a type size in the style.
        colour : str, optional
            A colour as matplotlib takes it.
        how : Unpack[TextLook]
            As matplotlib takes it.
        """
        look: TextLook = {"va": "baseline", **how}
        words = Words(
            x_mm / WIDTH_MM,
            1 - y_mm / HEIGHT_MM,
            drawable(text, self.style.family),
            fontsize=self.style.size(size),
            color=self.style.colour(colour),
            # A code or a reason may hold a dollar sign; nothing here is mathematics.
            parse_math=False,
            transform=self.figure.transFigure,
            **look,
        )
        words.set_figure(self.figure)
        self.figure.texts.append(words)
        return words

    def paragraph(
        self,
        x_mm: float,
        top_mm: float,
        lines: Sequence[str],
        *,
        size: str = "body",
        spacing: float = 1.3,
        colour: str = "ink",
        **how: Unpack[TextLook],
    ) -> float:
        """Write lines below one another, each on its own baseline, and return where the paragraph ends (mm from the top).

        Parameters
        ----------
        x_mm : float
            From the sheet's left.
        top_mm : float
            From the sheet's top.
        lines : Sequence[str]
            From top to bottom.
        size : str, optional
            Name of a type size in the style.
        spacing : float, optional
            Of lines, as a multiple of the type size.
        colour : str, optional
            A colour as matplotlib takes it.
        how : Unpack[TextLook]
            As matplotlib takes it.
        """
        points = self.style.size(size)
        pitch = points * MM_PER_POINT * spacing
        for number, line in enumerate(lines):
            if line:
                self.text(x_mm, top_mm + points * MM_PER_POINT + number * pitch, line, size=size, colour=colour, **how)
        return top_mm + len(lines) * pitch

    def rule(
        self,
        x0_mm: float,
        y0_mm: float,
        x1_mm: float,
        y1_mm: float,
        *,
        colour: str = "grid",
        width: float = 0.6,
        dashes: tuple[float, tuple[float, ...]] | None = None,
    ) -> None:
        """Draw a straight line, solid unless dashes are given as matplotlib writes them.

        Parameters
        ----------
        x0_mm : float
            From the sheet's left.
        y0_mm : float
            From the sheet's top.
        x1_mm : float
            From the sheet's left.
        y1_mm : float
            From the sheet's top.
        colour : str, optional
            A colour as matplotlib takes it.
        width : float, optional
            Of the line, points.
        dashes : tuple[float, tuple[float, ...]] | None, optional
            As matplotlib takes them; solid without.
        """
        line = Line2D(
            [x0_mm / WIDTH_MM, x1_mm / WIDTH_MM],
            [1 - y0_mm / HEIGHT_MM, 1 - y1_mm / HEIGHT_MM],
            color=self.style.colour(colour),
            linewidth=width,
            linestyle=dashes or "solid",
            solid_capstyle="butt",
        )
        self.figure.add_artist(line)

    def box(self, left_mm: float, top_mm: float, width_mm: float, height_mm: float, *, face: str | None, edge: str | None) -> None:
        """Draw a rectangle behind whatever is written on it.

        Parameters
        ----------
        left_mm : float
            From the sheet's left.
        top_mm : float
            From the sheet's top.
        width_mm : float
            Width of the box, millimetres.
        height_mm : float
            Height of the box, millimetres.
        face : str | None
            Colour inside; None for none.
        edge : str | None
            Colour of the line; None for none.
        """
        self.figure.add_artist(
            Rectangle(
                (left_mm / WIDTH_MM, 1 - (top_mm + height_mm) / HEIGHT_MM),
                width_mm / WIDTH_MM,
                height_mm / HEIGHT_MM,
                facecolor=self.style.colour(face) if face else "none",
                edgecolor=self.style.colour(edge) if edge else "none",
                linewidth=0.6,
                transform=self.figure.transFigure,
                zorder=-1,
            )
        )

    def heading(self, x_mm: float, y_mm: float, text: str, *, to_mm: float | None = None) -> None:
        """Write a section's heading, with a thin line below up to ``to_mm``.

        Parameters
        ----------
        x_mm : float
            From the sheet's left.
        y_mm : float
            From the sheet's top.
        text : str
            Words of the heading, in one line.
        to_mm : float | None, optional
            Where the line ends, from the sheet's left; None for none.
        """
        self.text(x_mm, y_mm, text, size="heading", weight="bold")
        if to_mm is not None:
            self.rule(x_mm, y_mm + 1.6, to_mm, y_mm + 1.6, colour="zero", width=0.5)

    def head_and_foot(self, title: str, code: str, session: str, page: str, pages: str, version: str) -> None:
        """Write what stands on every page: title, laboratory, subject's code, session date, version and page number.

        Parameters
        ----------
        title : str
            Title of the page, as its bookmark has it.
        code : str
            Code of the subject, never a name.
        session : str
            Date of the session.
        page : str
            Number of the page, from 1 or A1.
        pages : str
            Number of the last one.
        version : str
            What made it, with the version.
        """
        style = self.style
        self.text(LEFT_MM, 13.5, title, size="title", weight="bold")
        self.text(RIGHT_MM, 10.5, code, size="heading", weight="bold", ha="right")
        self.text(RIGHT_MM, 14.8, session, size="small", colour="quiet", ha="right")
        self.rule(LEFT_MM, 17.0, RIGHT_MM, 17.0, colour="ink", width=0.8)
        self.rule(LEFT_MM, 201.0, RIGHT_MM, 201.0, colour="zero", width=0.4)
        laboratory = style.settings["laboratory"]["name"]
        left = f"{laboratory}  ·  {version}" if laboratory else version
        self.text(LEFT_MM, 204.6, left, size="tiny", colour="quiet")
        self.text((LEFT_MM + RIGHT_MM) / 2, 204.6, style.label("cover.disclaimer"), size="tiny", colour="quiet", ha="center")
        number = style.label("page.number", page=page, pages=pages)
        self.text(RIGHT_MM, 204.6, number, size="tiny", colour="quiet", ha="right")
