"""The equations of a `System` in its free coordinates, as a program: see `biomech_id.multibody.traced_system`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from biomech_id.arguments import a, a_str, a_word, each, takes
from biomech_id.errors import InvalidValueError, MissingInputError, OptionError
from biomech_id.multibody.straight_line import Program
from biomech_id.multibody.system import System
from biomech_id.multibody.traced_system import traced_program

#: Trigonometric elimination, direct elimination, implicit constraints.
Elimination = Literal["TE", "DE", "IC"]
#: What can be asked for: dependent coordinates, all speeds, W and w, terms in the free speeds, the accelerations of the free
#: speeds, what the dampers take, what Newton's method takes off the dependent coordinates, and the closures' derivative by these.
DYNAMIC_QUANTITIES = ("q2", "u", "W", "w", "M1", "c1", "g1", "spring1", "a1", "damping_power", "correction", "J2")


@takes(system=a(System), quantities=each(a_str()), method=a_word(("TE", "DE", "IC")))
def equations(system: System, quantities: Sequence[str] = ("M1", "c1", "g1", "spring1"), method: Elimination = "TE") -> Program:
    """The equations in the free coordinates as a program of the coordinates (``q:name``), speeds (``u:name``), drives
    (``tau:name``).

    Inputs are the free coordinates, for IC then the dependent ones, the free speeds, and for ``a1`` their power partners.

    Parameters
    ----------
    system : System
        On a base at rest.
    quantities : Sequence[str], optional
        Names out of `DYNAMIC_QUANTITIES`.
    method : Elimination, optional
        How the dependent coordinates are eliminated; a tree has none.

    Returns
    -------
    Program
        Results by the names of the quantities.

    Raises
    ------
    OptionError
        An unknown method or quantity.
    MissingInputError
        TE or DE of loops without a closed form: implicit constraints are what is left.
    InvalidValueError
        A function of a joint that cannot be written in sums, products, roots and sines; a joint that moves no mass.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Segment
    >>> from biomech_id.multibody.joints import revolute
    >>> from biomech_id.multibody.parts import Body
    >>> from biomech_id.multibody.system import System
    >>> from biomech_id.multibody.traced import equations
    >>> rod = Segment("rod", 2.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 1 / 6, 1 / 6]))
    >>> pendulum = System([Body(rod, revolute("angle"))], gravity_lab_m_s2=(0.0, -9.81, 0.0))
    >>> program = equations(pendulum, ["a1"])
    >>> program.inputs
    ('q:angle', 'u:angle', 'tau:angle')
    >>> print(program.source("python").splitlines()[-1].strip())
    return [((x2 - (cos(x0) * 9.81)) * 1.5)]
    """
    for name in quantities:
        if name not in DYNAMIC_QUANTITIES:
            raise OptionError(
                f"There is no {name!r}.", value=name, expected=f"one of {list(DYNAMIC_QUANTITIES)}", where="equations"
            )
    if method != "IC" and system.dependent and system.closed_form is None:
        raise MissingInputError(
            f"{', '.join(system.dependent)} have no closed form, so that nothing explicit can be put in their place.", value=method,
            expected="'IC', implicit constraints, with the dependent coordinates as inputs", where="equations",
        )  # fmt: skip
    try:
        return traced_program(system, quantities, method)
    except ZeroDivisionError as reason:
        if not system.closures:
            still = np.zeros((1, len(system.speeds)))
            system.forward(system.at_zero(), still, still)  # names the joint
        raise InvalidValueError(
            f"The equations of {', '.join(system.free)} divide by zero in every state: joints move no mass, or loops bind nothing.",
            value=system.free, expected="mass or inertia on what moves, and closures that determine the rest", where="equations",
        ) from reason  # fmt: skip
