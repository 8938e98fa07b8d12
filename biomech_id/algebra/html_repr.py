"""What a notebook shows of a value with many numbers: a small table, and a line for each of a few curves.

Everything is escaped, and drawn with the page's own colours, so that it can be read on a dark page as on a light one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np

from biomech_id.algebra.arrays import FloatArray

#: Size of a curve on the page, pixels, and most points it is drawn with.
WIDTH_PX, HEIGHT_PX, MOST_POINTS = 160, 24, 160


def sparkline_svg(values: FloatArray) -> str:
    """Draw a curve as a small picture.

    Parameters
    ----------
    values : FloatArray
        (n,), any unit; NaN is missing.

    Returns
    -------
    str
        An ``<svg>`` element; missing samples are gaps. Empty where all are missing.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.html_repr import sparkline_svg
    >>> sparkline_svg(np.array([0.0, 1.0, np.nan, 0.5, 0.5])).count("<polyline")
    2
    >>> sparkline_svg(np.full(3, np.nan))
    ''
    """
    values = np.asarray(values, dtype=np.float64)
    step = max(1, -(-len(values) // MOST_POINTS))
    shown = values[::step]
    seen = np.isfinite(shown)
    if not seen.any():
        return ""
    low, high = float(shown[seen].min()), float(shown[seen].max())
    x = np.linspace(1.0, WIDTH_PX - 1.0, len(shown))
    y = HEIGHT_PX - 2.0 - (HEIGHT_PX - 4.0) * (np.where(seen, shown, low) - low) / ((high - low) or 1.0)
    edges = np.flatnonzero(np.diff(np.r_[False, seen, False]))
    drawn = ""
    for start, stop in edges.reshape(-1, 2):
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[start:stop], y[start:stop], strict=True))
        drawn += f'<polyline points="{points}" fill="none" stroke="currentColor"/>'
    return f'<svg width="{WIDTH_PX}" height="{HEIGHT_PX}" role="img">{drawn}</svg>'


def html_table(title: str, facts: Mapping[str, object], rows: Iterable[Sequence[object]] = (), head: Sequence[str] = ()) -> str:
    """Write a title, some facts in one line and a table as HTML.

    Parameters
    ----------
    title : str
        Type and name of the value.
    facts : Mapping[str, object]
        Name -> value of each fact.
    rows : Iterable[Sequence[object]], optional
        Cells of each row; an ``FloatArray`` is drawn as a curve.
    head : Sequence[str], optional
        Names of the columns.

    Returns
    -------
    str
        A ``<div>``, everything in it escaped.

    Examples
    --------
    >>> from biomech_id.algebra.html_repr import html_table
    >>> html_table("Trial", {"name": "<a>"})
    '<div><b>Trial</b> name &lt;a&gt;</div>'
    """
    line = ", ".join(f"{escape(name)} {escape(str(value))}" for name, value in facts.items())
    top = f"<b>{escape(title)}</b> {line}"
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    if not body:
        return f"<div>{top}</div>"
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    return f"<div>{top}<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table></div>"


def _cell(value: object) -> str:
    return f"<td>{sparkline_svg(value) if isinstance(value, np.ndarray) else escape(str(value))}</td>"
