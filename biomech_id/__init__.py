"""biomech_id: from C3D files to joint loads by 3-D inverse dynamics, and to a gait report.

Names are imported when first used, so that ``import biomech_id`` costs nothing.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from biomech_id._version import __version__
from biomech_id.moved import follow

if TYPE_CHECKING:
    from biomech_id import multibody as mechanics
    from biomech_id import osim
    from biomech_id.algebra.rotation import joint_angles
    from biomech_id.algebra.wrench import Wrench
    from biomech_id.conventions import Side
    from biomech_id.dynamics.external import External
    from biomech_id.errors import BiomechError
    from biomech_id.exports.recording import write
    from biomech_id.gait.tracked import solve_movement as solve
    from biomech_id.gait.tracked import with_events as find_events
    from biomech_id.gait.tracked import with_plates as assign_plates
    from biomech_id.models.conventional.model import conventional_model
    from biomech_id.models.six_dof.model import six_dof_model
    from biomech_id.models.triads import frame_from_points
    from biomech_id.multibody.forward import simulate
    from biomech_id.multibody.linear import linearised as linearise
    from biomech_id.multibody.system import System
    from biomech_id.multibody.traced import equations
    from biomech_id.norms.one_call import norm_of_sessions as norm
    from biomech_id.osim.fit.person import fit
    from biomech_id.osim.forces.joint_reactions import joint_reactions
    from biomech_id.osim.forces.static_optimisation import static_optimisation
    from biomech_id.osim.one_call import inverse_kinematics
    from biomech_id.osim.one_call import scale_model as scale
    from biomech_id.pipeline.analyse import analyse
    from biomech_id.pipeline.arrays import solve_arrays as inverse_dynamics
    from biomech_id.pipeline.prepare import fill_gaps_of as fill_gaps
    from biomech_id.pipeline.prepare import prepare
    from biomech_id.pipeline.study.many import analyse_many
    from biomech_id.readers import read, read_c3d
    from biomech_id.report import curves as plot
    from biomech_id.request.recipe import Recipe
    from biomech_id.sample import virtual_subject
    from biomech_id.session.hand_over import from_dataframe, from_xarray, to_dataframe, to_xarray
    from biomech_id.session.session import read_folder
    from biomech_id.signal.filters import lowpass
    from biomech_id.statistics.curves_beside import compare_sessions as compare
    from biomech_id.trial import Event, EventKind, ForcePlate, Subject, Trial

follow()  # import paths of earlier versions
#: Public name -> where it lives.
_PUBLIC: dict[str, str] = {
    "BiomechError": "biomech_id.errors:BiomechError",
    "Event": "biomech_id.trial:Event",
    "EventKind": "biomech_id.trial:EventKind",
    "External": "biomech_id.dynamics.external:External",
    "ForcePlate": "biomech_id.trial:ForcePlate",
    "Recipe": "biomech_id.request.recipe:Recipe",
    "Side": "biomech_id.conventions:Side",
    "Subject": "biomech_id.trial:Subject",
    "System": "biomech_id.multibody.system:System",
    "Trial": "biomech_id.trial:Trial",
    "Wrench": "biomech_id.algebra.wrench:Wrench",
    "analyse": "biomech_id.pipeline.analyse:analyse",
    "analyse_many": "biomech_id.pipeline.study.many:analyse_many",
    "assign_plates": "biomech_id.gait.tracked:with_plates",
    "compare": "biomech_id.statistics.curves_beside:compare_sessions",
    "conventional_model": "biomech_id.models.conventional.model:conventional_model",
    "equations": "biomech_id.multibody.traced:equations",
    "fill_gaps": "biomech_id.pipeline.prepare:fill_gaps_of",
    "find_events": "biomech_id.gait.tracked:with_events",
    "frame_from_points": "biomech_id.models.triads:frame_from_points",
    "fit": "biomech_id.osim.fit.person:fit",
    "from_dataframe": "biomech_id.session.hand_over:from_dataframe",
    "from_xarray": "biomech_id.session.hand_over:from_xarray",
    "inverse_dynamics": "biomech_id.pipeline.arrays:solve_arrays",
    "joint_reactions": "biomech_id.osim.forces.joint_reactions:joint_reactions",
    "inverse_kinematics": "biomech_id.osim.one_call:inverse_kinematics",
    "joint_angles": "biomech_id.algebra.rotation:joint_angles",
    "linearise": "biomech_id.multibody.linear:linearised",
    "lowpass": "biomech_id.signal.filters:lowpass",
    "mechanics": "biomech_id.multibody",
    "norm": "biomech_id.norms.one_call:norm_of_sessions",
    "osim": "biomech_id.osim",
    "plot": "biomech_id.report.curves",
    "prepare": "biomech_id.pipeline.prepare:prepare",
    "read": "biomech_id.readers:read",
    "read_c3d": "biomech_id.readers:read_c3d",
    "read_folder": "biomech_id.session.session:read_folder",
    "scale": "biomech_id.osim.one_call:scale_model",
    "simulate": "biomech_id.multibody.forward:simulate",
    "six_dof_model": "biomech_id.models.six_dof.model:six_dof_model",
    "solve": "biomech_id.gait.tracked:solve_movement",
    "static_optimisation": "biomech_id.osim.forces.static_optimisation:static_optimisation",
    "to_dataframe": "biomech_id.session.hand_over:to_dataframe",
    "to_xarray": "biomech_id.session.hand_over:to_xarray",
    "virtual_subject": "biomech_id.sample:virtual_subject",
    "write": "biomech_id.exports.recording:write",
}
#: Name that goes -> where it lives, and is to be had from.
_GOES: dict[str, str] = {
    "AnalogChannels": "biomech_id.trial:AnalogChannels",
    "Markers": "biomech_id.trial:Markers",
    "Rotations": "biomech_id.trial:Rotations",
    "from_ezc3d": "biomech_id.readers.c3d.from_ezc3d:from_ezc3d",
    "from_opensim": "biomech_id.exports.opensim.memory:from_opensim",
    "to_opensim": "biomech_id.exports.opensim.memory:to_opensim",
}


def __getattr__(name: str) -> Any:
    place = _PUBLIC.get(name) or _GOES.get(name)
    if place is None:
        raise AttributeError(f"module 'biomech_id' has no attribute {name!r}")
    module, _, attribute = place.partition(":")
    room = import_module(module)
    value = getattr(room, attribute) if attribute else room
    if name in _GOES:
        _warn_of(name, f"from {module} import {attribute}")
    else:
        globals()[name] = value
    return value


def _warn_of(name: str, instead: str) -> None:
    # Importing the package costs nothing: what warns is loaded where a name goes.
    kind = import_module("biomech_id.deprecation").BiomechDeprecationWarning
    warnings.warn(kind(f"biomech_id.{name}", "0.2", instead), stacklevel=3)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


__all__ = [
    "BiomechError",
    "Event",
    "EventKind",
    "External",
    "ForcePlate",
    "Recipe",
    "Side",
    "Subject",
    "System",
    "Trial",
    "Wrench",
    "__version__",
    "analyse",
    "analyse_many",
    "assign_plates",
    "compare",
    "conventional_model",
    "equations",
    "fill_gaps",
    "find_events",
    "fit",
    "frame_from_points",
    "from_dataframe",
    "from_xarray",
    "inverse_dynamics",
    "inverse_kinematics",
    "joint_angles",
    "joint_reactions",
    "linearise",
    "lowpass",
    "mechanics",
    "norm",
    "osim",
    "plot",
    "prepare",
    "read",
    "read_c3d",
    "read_folder",
    "scale",
    "simulate",
    "six_dof_model",
    "solve",
    "static_optimisation",
    "to_dataframe",
    "to_xarray",
    "virtual_subject",
    "write",
]
