"""Marker sets as data: which markers define and track each segment, and which set a recording uses."""

from biomech_id.markersets.detect import SMALLEST_SHARE, Detection, Proposal, describe_missing, detect, propose
from biomech_id.markersets.draft import draft
from biomech_id.markersets.marker_set import LANDMARKS, MARKER_SETS, MarkerSet, load_markerset, parse_markerset

__all__ = [
    "LANDMARKS", "MARKER_SETS", "SMALLEST_SHARE", "Detection", "MarkerSet", "Proposal", "describe_missing", "detect", "draft",
    "load_markerset", "parse_markerset", "propose",
]  # fmt: skip
