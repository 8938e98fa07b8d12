"""Mechanisms of bodies and joints, apart from gait: one description, and everything that follows from it.

`system` describes (bodies, `joints`, `closures` of loops, `springs`, drives, gravity) and has the dynamics of the cut tree;
`reduction` closes the loops; `forward` simulates, with `friction` of joints, wrenches by `laws` and `rolling` contacts; `linear`
linearises; `traced` writes the equations as a program that `generated` runs; `symbolic` derives them as expressions. `examples`
makes systems of it: pendulums, limbs, arms, linkages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomech_id.doors import door

if TYPE_CHECKING:
    from biomech_id.dynamics.body import Segment
    from biomech_id.multibody.closures import pin, spherical
    from biomech_id.multibody.examples.pendulums import n_pendulum
    from biomech_id.multibody.forward import simulate
    from biomech_id.multibody.friction import Friction
    from biomech_id.multibody.generated import generate
    from biomech_id.multibody.joints import ball, cardan, free, prismatic, revolute, universal
    from biomech_id.multibody.laws import WrenchLaw
    from biomech_id.multibody.linear import linearised as linearise
    from biomech_id.multibody.parts import Body
    from biomech_id.multibody.reduction import assemble, configuration
    from biomech_id.multibody.rolling import Rolling
    from biomech_id.multibody.springs import Spring
    from biomech_id.multibody.system import System
    from biomech_id.multibody.traced import equations

#: Name -> the module that has it: ``biomech_id.mechanics`` is this room, as a door for researchers.
_DOOR = {
    "Body": "parts:Body", "Friction": "friction:Friction", "Rolling": "rolling:Rolling", "Segment": ".dynamics.body:Segment",
    "Spring": "springs:Spring", "System": "system:System", "WrenchLaw": "laws:WrenchLaw",
    "assemble": "reduction:assemble", "ball": "joints:ball", "cardan": "joints:cardan", "configuration": "reduction:configuration",
    "equations": "traced:equations", "free": "joints:free", "generate": "generated:generate", "linearise": "linear:linearised",
    "n_pendulum": "examples.pendulums:n_pendulum", "pin": "closures:pin", "prismatic": "joints:prismatic",
    "revolute": "joints:revolute", "simulate": "forward:simulate", "spherical": "closures:spherical",
    "universal": "joints:universal",
}  # fmt: skip
__getattr__, __dir__ = door(__name__, _DOOR)
__all__ = [
    "Body", "Friction", "Rolling", "Segment", "Spring", "System", "WrenchLaw", "assemble", "ball", "cardan", "configuration",
    "equations", "free", "generate", "linearise", "n_pendulum", "pin", "prismatic", "revolute", "simulate", "spherical",
    "universal",
]  # fmt: skip
