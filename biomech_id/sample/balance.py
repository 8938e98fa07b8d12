"""A floor that does exactly what the momentum of the whole body asks for.

What the legs' own floor lacks of the needed wrench is given to both feet in proportion to their loads: forces begin and end as they
did, and every centre of pressure is shifted by the same few centimetres.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.sample.body import Person
from biomech_id.sample.ground import GroundWrench
from biomech_id.sample.jets import Jet, time_jet
from biomech_id.sample.motion import Gait, Posture
from biomech_id.sample.upper_body import momenta, needed_wrench, stride_of, upper_person, upper_pose
from biomech_id.values import dataclass

if TYPE_CHECKING:
    from biomech_id.sample.recording import Mover


@dataclass(frozen=True, eq=False)
class Balanced:
    """Somebody who moves as another does, in balance with the floor.

    Attributes
    ----------
    mover : Mover
        Whose motion it is; some foot is always on the floor, which is level.
    """

    mover: Mover

    @property
    def body(self) -> Person:
        """Constants of the person."""
        return self.mover.body

    @property
    def gait(self) -> Gait | None:
        """The way of walking; None for who does not walk."""
        return getattr(self.mover, "gait", None)

    def pose(self, time: Jet) -> Posture:
        """Pose at the given times.

        Parameters
        ----------
        time : Jet
            Times at which to evaluate, seconds.

        Returns
        -------
        Posture
            Pelvis, legs and feet, laboratory axes.
        """
        return self.mover.pose(time)

    def ground(self, pose: Posture, time: Jet, side: str) -> GroundWrench:
        """The floor's action on one foot; values only, without derivatives.

        Parameters
        ----------
        pose : Posture
            The body's pose at those times.
        time : Jet
            Times at which to evaluate, seconds.
        side : str
            Whose foot, "L" or "R".

        Returns
        -------
        GroundWrench
            Force (n, 3), N, at the centre of pressure on the level floor, and free moment (n,), N m.
        """
        second = time if time.order >= 2 else time_jet(time.value, 2)
        pose = pose if time.order >= 2 else self.mover.pose(second)
        upper = upper_person(self.body)
        force, moment = needed_wrench(momenta(upper, pose, upper_pose(upper, pose, second, stride_of(self.gait))))
        feet = {each: self.mover.ground(pose, second, each) for each in SIDES}
        loads = {each: foot.force_N.value[:, 2] for each, foot in feet.items()}
        lacking_N = force - sum(foot.force_N.value for foot in feet.values())
        lacking_Nm = moment - sum(foot.moment_about_origin_Nm() for foot in feet.values())
        share = (loads[side] / sum(loads.values()))[:, None]
        own_foot = feet[side]
        return _acting(
            own_foot.force_N.value + share * lacking_N, own_foot.moment_about_origin_Nm() + share * lacking_Nm, own_foot.cop_m.value
        )


def _acting(force: np.ndarray, moment: np.ndarray, unloaded_m: np.ndarray) -> GroundWrench:
    """A wrench about the laboratory's origin as a force at a point of the level floor and a couple about the vertical."""
    vertical = force[:, 2]
    loaded = vertical > 0
    safe = np.where(loaded, vertical, 1.0)
    point = np.stack([-moment[:, 1] / safe, moment[:, 0] / safe, np.zeros_like(safe)], axis=-1)
    point = np.where(loaded[:, None], point, unloaded_m)
    couple = np.where(loaded, moment[:, 2] - np.cross(point, force)[:, 2], 0.0)
    return GroundWrench(Jet(force[None]), Jet(point[None]), Jet(couple[None]))
