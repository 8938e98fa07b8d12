"""Constrained models of OpenSim, natively: kinematics, scaling and inverse dynamics of any `MusculoskeletalModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomech_id.doors import door

if TYPE_CHECKING:
    from biomech_id.osim.document.model import read_osim
    from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces
    from biomech_id.osim.forces.actuators import read_actuated
    from biomech_id.osim.forces.analysed_motion import analysed_motion
    from biomech_id.osim.forces.contact_cost import with_contact_cost
    from biomech_id.osim.forces.force_bands import force_bands
    from biomech_id.osim.one_call import inverse_kinematics
    from biomech_id.osim.one_call import scale_model as scale
    from biomech_id.osim.run import run_setup
    from biomech_id.osim.skeleton.skeleton import Skeleton

#: Name -> the module that has it: ``biomech_id.osim`` is a door for researchers.
_DOOR = {
    "Skeleton": "skeleton.skeleton:Skeleton", "analysed_motion": "forces.analysed_motion:analysed_motion",
    "force_bands": "forces.force_bands:force_bands", "generalized_forces": "dynamics.inverse_dynamics:generalized_forces",
    "inverse_kinematics": "one_call:inverse_kinematics", "read_actuated": "forces.actuators:read_actuated",
    "read_osim": "document.model:read_osim", "run_setup": "run:run_setup", "scale": "one_call:scale_model",
    "with_contact_cost": "forces.contact_cost:with_contact_cost",
}  # fmt: skip
__getattr__, __dir__ = door(__name__, _DOOR)
__all__ = [
    "Skeleton", "analysed_motion", "force_bands", "generalized_forces", "inverse_kinematics", "read_actuated", "read_osim",
    "run_setup", "scale", "with_contact_cost",
]  # fmt: skip
