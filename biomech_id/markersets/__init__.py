"""Marker sets as data: which markers define and track each segment, and which set a recording uses."""

from biomech_id.markersets.detect import (
    SMALLEST_SHARE,
    Detection,
    Proposal,
    common_roles,
    describe_missing,
    detect,
    propose,
    upper_and_lower,
)
from biomech_id.markersets.draft import draft
from biomech_id.markersets.marker_set import MARKER_SETS, ROLES, MarkerSet, default_roles, load_markerset, parse_markerset

__all__ = [
    "MARKER_SETS", "ROLES", "SMALLEST_SHARE", "Detection", "MarkerSet", "Proposal", "common_roles", "default_roles",
    "describe_missing", "detect", "draft", "load_markerset", "parse_markerset", "propose", "upper_and_lower",
]  # fmt: skip
