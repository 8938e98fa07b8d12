"""Syntax trees of modules, made once for all tests of a process: those of the whole package take four seconds."""

from __future__ import annotations

import ast
from functools import cache


@cache
def parsed(source: str) -> ast.Module:
    """The syntax tree of some code, which is looked at and never changed."""
    return ast.parse(source)
