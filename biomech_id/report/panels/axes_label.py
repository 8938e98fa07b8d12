"""Sentences that say in which axes numbers are expressed."""

from __future__ import annotations

from biomech_id.dynamics.joint_axes import MomentAxes
from biomech_id.report.layout.style import Style
from biomech_id.session.tables.clinical import moment_axes_of
from biomech_id.session.tables.session_tables import Tables

#: What the keys of labels end with.
_SUFFIX = {MomentAxes.DISTAL: "", MomentAxes.JOINT: "_six_dof"}


def axes_label(style: Style, key: str, tables: Tables) -> str:
    """Return the label of a key that has one text for each kind of axes, by what a session says of its axes.

    Parameters
    ----------
    style : Style
        Colours, words, scales and units of the report.
    key : str
        Name of the label.
    tables : Tables
        The session's tables.
    """
    return style.label(key + _SUFFIX[moment_axes_of(tables.summary)])
