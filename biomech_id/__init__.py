"""biomech_id: from C3D files to joint loads by 3-D inverse dynamics, and to a gait report.

Names are imported when first used, so that ``import biomech_id`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from biomech_id._version import __version__
from biomech_id.moved import follow

if TYPE_CHECKING:
    from biomech_id.algebra.wrench import Wrench
    from biomech_id.dynamics.external import External
    from biomech_id.errors import BiomechError
    from biomech_id.exports.opensim.memory import from_opensim, to_opensim
    from biomech_id.exports.recording import write
    from biomech_id.gait.tracked import solve_movement as solve
    from biomech_id.gait.tracked import with_events as find_events
    from biomech_id.gait.tracked import with_plates as assign_plates
    from biomech_id.models.conventional.model import conventional_model
    from biomech_id.models.six_dof.model import six_dof_model
    from biomech_id.osim.forces.joint_reactions import joint_reactions
    from biomech_id.osim.forces.static_optimisation import static_optimisation
    from biomech_id.pipeline.analyse import analyse
    from biomech_id.pipeline.arrays import solve_arrays as inverse_dynamics
    from biomech_id.pipeline.prepare import prepare
    from biomech_id.readers import read, read_c3d
    from biomech_id.readers.c3d.from_ezc3d import from_ezc3d
    from biomech_id.report import curves as plot
    from biomech_id.sample import virtual_subject
    from biomech_id.session.hand_over import from_dataframe, from_xarray, to_dataframe, to_xarray
    from biomech_id.session.session import read_folder
    from biomech_id.trial import AnalogChannels, Event, ForcePlate, Markers, Rotations, Subject, Trial

follow()  # import paths of earlier versions
#: Public name -> where it lives.
_PUBLIC: dict[str, str] = {
    "AnalogChannels": "biomech_id.trial:AnalogChannels",
    "BiomechError": "biomech_id.errors:BiomechError",
    "Event": "biomech_id.trial:Event",
    "External": "biomech_id.dynamics.external:External",
    "ForcePlate": "biomech_id.trial:ForcePlate",
    "Markers": "biomech_id.trial:Markers",
    "Rotations": "biomech_id.trial:Rotations",
    "Subject": "biomech_id.trial:Subject",
    "Trial": "biomech_id.trial:Trial",
    "Wrench": "biomech_id.algebra.wrench:Wrench",
    "analyse": "biomech_id.pipeline.analyse:analyse",
    "assign_plates": "biomech_id.gait.tracked:with_plates",
    "conventional_model": "biomech_id.models.conventional.model:conventional_model",
    "find_events": "biomech_id.gait.tracked:with_events",
    "from_dataframe": "biomech_id.session.hand_over:from_dataframe",
    "from_ezc3d": "biomech_id.readers.c3d.from_ezc3d:from_ezc3d",
    "from_opensim": "biomech_id.exports.opensim.memory:from_opensim",
    "from_xarray": "biomech_id.session.hand_over:from_xarray",
    "inverse_dynamics": "biomech_id.pipeline.arrays:solve_arrays",
    "joint_reactions": "biomech_id.osim.forces.joint_reactions:joint_reactions",
    "plot": "biomech_id.report.curves",
    "prepare": "biomech_id.pipeline.prepare:prepare",
    "read": "biomech_id.readers:read",
    "read_c3d": "biomech_id.readers:read_c3d",
    "read_folder": "biomech_id.session.session:read_folder",
    "six_dof_model": "biomech_id.models.six_dof.model:six_dof_model",
    "solve": "biomech_id.gait.tracked:solve_movement",
    "static_optimisation": "biomech_id.osim.forces.static_optimisation:static_optimisation",
    "to_dataframe": "biomech_id.session.hand_over:to_dataframe",
    "to_opensim": "biomech_id.exports.opensim.memory:to_opensim",
    "to_xarray": "biomech_id.session.hand_over:to_xarray",
    "virtual_subject": "biomech_id.sample:virtual_subject",
    "write": "biomech_id.exports.recording:write",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'biomech_id' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    room = import_module(module)
    value = getattr(room, attribute) if attribute else room
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


__all__ = [
    "AnalogChannels",
    "BiomechError",
    "Event",
    "External",
    "ForcePlate",
    "Markers",
    "Rotations",
    "Subject",
    "Trial",
    "Wrench",
    "__version__",
    "analyse",
    "assign_plates",
    "conventional_model",
    "find_events",
    "from_dataframe",
    "from_ezc3d",
    "from_opensim",
    "from_xarray",
    "inverse_dynamics",
    "joint_reactions",
    "plot",
    "prepare",
    "read",
    "read_c3d",
    "read_folder",
    "six_dof_model",
    "solve",
    "static_optimisation",
    "to_dataframe",
    "to_opensim",
    "to_xarray",
    "virtual_subject",
    "write",
]
