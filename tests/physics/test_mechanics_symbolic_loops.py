"""Closed loops as expressions: three eliminations, one result, and no more operations than published for the same mechanisms."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy")
import sympy as sp

from biomech_id.errors import MissingInputError, OptionError
from biomech_id.multibody.closed_loop import ClosedLoop
from biomech_id.multibody.symbolic.expressions import Operations, compiled, operations
from biomech_id.multibody.symbolic.loops import loop_equations

_spec = importlib.util.spec_from_file_location("mechanisms", Path(__file__).parents[1] / "unit" / "multibody" / "mechanisms.py")
assert _spec is not None
assert _spec.loader is not None
mechanisms = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(mechanisms)

METHODS = ("TE", "DE", "IC")
#: Weighted operations of g1, M1 and q2 in the theory sheet's table, and how far above them we may be.
PUBLISHED = {
    ("fourbar", "TE"): (244, 279, 118), ("fourbar", "DE"): (364, 301, 118), ("fourbar", "IC"): (126, 145, 118),
    ("leg_exo", "TE"): (520, 926, 190), ("leg_exo", "DE"): (552, 928, 190), ("leg_exo", "IC"): (387, 816, 190),
}  # fmt: skip
MARGIN = 1.05


def mechanism(file: Any, name: str) -> ClosedLoop:
    loop: ClosedLoop = mechanisms.reference_four_bar(file) if name == "fourbar" else mechanisms.reference_leg(file).mechanism()
    return loop


@pytest.mark.parametrize(("name", "method"), PUBLISHED)
def test_reference_mechanisms(reference: Any, name: str, method: Any) -> None:
    """Tolerance 1e-11: kg m2 and N m on values up to 30."""
    file = reference("fourbar")
    loop = mechanism(file, name)
    equations = loop_equations(loop, method)
    q1, u1, M1, c1, g1 = (np.array([case[key] for case in file[name]["cases"]]) for key in ("q1", "q1d", "M1", "c1", "g1"))
    for ours, theirs in zip(equations.function(loop)(q1, u1), (M1, c1, g1), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11)
    ours_cost = (equations.cost["g1"].weighted, equations.cost["M1"].weighted, equations.cost_q2.weighted)
    for cost, published in zip(ours_cost, PUBLISHED[name, method], strict=True):
        assert 0 < cost <= MARGIN * published
    assert set(equations.generation_s) == {"g1", "M1", "c1"}
    assert all(seconds > 0 for seconds in equations.generation_s.values())


#: Substituting one loop's closure into the next makes TE and DE long; implicit constraints do not mind.
OTHERS = [(build, method) for build in (mechanisms.piston, mechanisms.gears) for method in METHODS] + [(mechanisms.two_loops, "IC")]


@pytest.mark.parametrize(("build", "method"), OTHERS)
def test_other_mechanisms_equal_their_numbers(build: Any, method: Any) -> None:
    """The numeric way shares neither Jacobians nor velocity terms with the expressions."""
    loop = build()
    rng = np.random.default_rng(11)
    q1, u1 = rng.uniform(-3, 3, (6, len(loop.free))), rng.normal(0, 4, (6, len(loop.free)))
    reduced = loop.reduced(loop.configuration(q1), u1)
    assert np.abs(reduced.c1).max() > 1e-4
    for ours, theirs in zip(loop_equations(loop, method).function(loop)(q1, u1), (reduced.M1, reduced.c1, reduced.g1), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * max(1, np.abs(theirs).max()))


def test_counting() -> None:
    x, y = sp.symbols("x y")
    assert operations([x + y * 2]) == Operations(add=1, mul=1, assign=1)
    assert operations([x - y]) == Operations(add=1, assign=1)
    assert operations([x / y]) == Operations(div=1, assign=1)
    assert operations([x**3]) == Operations(mul=2, assign=1)
    assert operations([sp.sqrt(x) + sp.sin(y)]) == Operations(add=1, sqrt=1, trig=1, assign=1)
    assert operations([sp.atan2(x, y)]).weighted == 16
    # The shared sine is paid once and assigned once.
    assert operations([sp.sin(x) * y, sp.sin(x) + y]) == Operations(add=1, mul=1, trig=1, assign=3)
    with pytest.raises(TypeError, match="cost"):
        operations([sp.exp(x)])


def test_compiled_functions_broadcast() -> None:
    x, y = sp.symbols("x y")
    values = compiled([x, y], sp.Matrix([[x, 1], [0, x * y]]))(np.arange(3.0), 2.0)
    assert values.shape == (3, 2, 2)
    np.testing.assert_array_equal(values[2], [[2, 1], [0, 4]])
    assert compiled([x], [x, x**2])(3.0).tolist() == [3.0, 9.0]


def test_refusals() -> None:
    loop = mechanisms.piston()
    with pytest.raises(OptionError, match="XX"):
        loop_equations(loop, "XX")  # type: ignore[arg-type]
    with pytest.raises(MissingInputError, match="closure"):
        loop_equations(ClosedLoop(loop.tree, loop.constraints, (0,)), "TE")
