"""The library stays small, and its functions are called in words: code lines by one script, at most six arguments by position."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "biomech_id").rglob("*.py"))
#: Code lines that the library may have. Lower it when something goes; raise it for something new that a user asked for.
MOST_LINES = sum([
    23_431,
    18,  # prepare is public
    304,  # verdicts set by hand, and review.toml
    78,  # stances that the trial cuts
])  # fmt: skip
