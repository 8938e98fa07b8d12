"""Cycles as folders of schemas 1 and 2 hold them: one answer for all layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biomech_id.conventions import Aspect


def as_before(cycle: Mapping[str, Any], **changed: object) -> dict[str, Any]:
    """A cycle of ``summary.json`` without its layers, and with what is changed of it."""
    return {**{name: value for name, value in cycle.items() if name not in set(Aspect)}, **changed}
