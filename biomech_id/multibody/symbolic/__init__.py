"""Equations of motion as expressions; needs SymPy, the extra ``[symbolic]``.

Nothing else of the package imports this room, so that SymPy is loaded only by those who call it.
"""

from importlib.util import find_spec

if find_spec("sympy") is None:
    raise ImportError("Symbolic mechanics needs SymPy: pip install sympy")
