"""Signatures with the annotations that stand in the source: ``FloatArray`` and not what NumPy makes of it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

#: The value of a constant is shown up to this many characters.
LONGEST_VALUE = 100


class Written(str):
    """An annotation, shown as it is written."""

    def __repr__(self) -> str:
        return str(self)


def as_written(function: Callable[..., Any], known: Mapping[str, Any]) -> tuple[str, str]:
    """Return the parameters in parentheses, and the annotation of what is returned ("" without one).

    Parameters
    ----------
    function : a function, a method, or a class for how it is made.
    known : what the names in its module mean.
    """
    signature = inspect.signature(function)
    returned = signature.return_annotation
    public = [p for name, p in signature.parameters.items() if name != "self" and not name.startswith("_")]
    parameters = [shown(parameter, known) for parameter in public]
    text = str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    nothing = inspect.isclass(function) or returned in (inspect.Signature.empty, "None", None)
    return text, "" if nothing else in_full(str(returned), known)


def shown(parameter: inspect.Parameter, known: Mapping[str, Any]) -> inspect.Parameter:
    """Return a parameter whose annotation and default print as a reader expects them."""
    if parameter.annotation is not parameter.empty:
        parameter = parameter.replace(annotation=Written(in_full(str(parameter.annotation), known)))
    default = parameter.default
    if repr(default).startswith("<") and default is not parameter.empty:
        parameter = parameter.replace(default=Written(getattr(default, "__name__", "...")))
    return parameter


def in_full(annotation: str, known: Mapping[str, Any]) -> str:
    """Return an annotation in which this package's classes have their full names: two rooms may have one of the same name."""

    def full(match: re.Match[str]) -> str:
        meant = known.get(match[0])
        return f"{meant.__module__}.{meant.__qualname__}" if inspect.isclass(meant) and is_ours(meant) else match[0]

    return re.sub(r"(?<![\w.\"'])[A-Za-z_]\w*", full, annotation)


def is_ours(thing: object) -> bool:
    """Whether something is defined in this package."""
    return str(getattr(thing, "__module__", "")).startswith("biomech_id")


def _process(app: Any, what: str, name: str, obj: Any, options: object, signature: str | None, returned: str | None) -> Any:
    if what not in ("function", "method", "class") or signature is None or not is_ours(obj):
        return None
    return as_written(obj, vars(sys.modules[obj.__module__]))


def _drop_long_values(app: Any, doctree: Any) -> None:
    from sphinx.addnodes import desc_annotation

    for node in list(doctree.findall(desc_annotation)):
        if len(node.astext()) > LONGEST_VALUE:
            node.parent.remove(node)


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("autodoc-process-signature", _process)
    app.connect("doctree-read", _drop_long_values)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
