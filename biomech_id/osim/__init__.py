"""Constrained models of OpenSim, natively: kinematics, scaling and inverse dynamics of any `MusculoskeletalModel`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biomech_id.osim.document.model import read_osim
    from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces
    from biomech_id.osim.one_call import inverse_kinematics, scale
    from biomech_id.osim.run import run_setup
    from biomech_id.osim.skeleton.skeleton import Skeleton

#: Name -> the module that has it: ``biomech_id.osim`` is a door for researchers.
_DOOR = {
    "Skeleton": "skeleton.skeleton", "generalized_forces": "dynamics.inverse_dynamics", "inverse_kinematics": "one_call",
    "read_osim": "document.model", "run_setup": "run", "scale": "one_call",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _DOOR:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_DOOR[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_DOOR)


__all__ = ["Skeleton", "generalized_forces", "inverse_kinematics", "read_osim", "run_setup", "scale"]
