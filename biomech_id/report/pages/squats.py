"""Squats, and rises from a seat: a table of phases, peaks and symmetry, one column each, and a sheet of all by phase."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from biomech_id.report.layout.style import NO_STRIDES
from biomech_id.report.pages.jump_phases import Phased, phases_sheet
from biomech_id.report.pages.jumps import jumps_of, measures_sheets
from biomech_id.report.panels.page import Content, PageKind, Shows, register


def _phased(prefix: str, turn: str, phases: tuple[str, ...]) -> Phased:
    needs = tuple(f"{prefix}{name}_at" for name in ("start", turn, "end"))
    return Phased(prefix, needs, lambda measured: np.array([measured[name][0] for name in needs]), phases)


SQUATTING = _phased("squat_", "lowest", ("descent", "ascent"))
RISING = _phased("rise_", "seat_off", ("seated", "straightening"))


def _draw(content: Content, of: Phased) -> Iterator[Figure]:
    style, kind = content.style, of.prefix.strip("_")
    repetitions = list(jumps_of(content.tables, of.prefix).items())
    yield from measures_sheets(content, kind, repetitions, style.label(f"squats.{kind}_note"))
    yield phases_sheet(content, of, style.label(f"squats.{kind}_phases"), style.label(f"squats.no_{kind}"))


def _spared(content: Content, of: Phased) -> bool:
    return not jumps_of(content.tables, of.prefix)


register(
    PageKind(
        "squats", 4, partial(_draw, of=SQUATTING), Shows.SESSION, sheets=0, own=NO_STRIDES, spared=partial(_spared, of=SQUATTING)
    )
)
register(
    PageKind("rises", 5, partial(_draw, of=RISING), Shows.SESSION, sheets=0, own=NO_STRIDES, spared=partial(_spared, of=RISING))
)
