"""Files that one of OpenSim's setups names: those that it reads, and those it writes that another may read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from biomech_id.osim.document.setups import AnalyzeSetup, InverseKinematicsSetup, ScaleSetup, ToolSetup
from biomech_id.readers.opensim.document import read_document

_T = TypeVar("_T")


def tool_of(path: Path) -> str:
    """Find out which of OpenSim's tools a document sets up, whether or not this library can run it.

    Parameters
    ----------
    path : Path
        An XML file.

    Returns
    -------
    str
        Its tag, such as InverseKinematicsTool; "" for a document of another kind.

    Raises
    ------
    FileRefusedError
        It cannot be read, or is no XML.
    """
    root = read_document(path)
    return next((element.tag for element in (root, *root) if str(element.tag).endswith("Tool")), "")


def with_files(setup: _T, instead: Callable[[Path], Path]) -> _T:
    """Let a setup read other files.

    Parameters
    ----------
    setup : _T
        As `read_setup` returns it.
    instead : Callable[[Path], Path]
        Is given each file that the setup names for reading, and returns the one that is read.

    Returns
    -------
    _T
        The setup, but for its files.
    """

    def changed(value: Any) -> Any:
        if isinstance(value, Path):
            return instead(value)
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{each.name: changed(getattr(value, each.name)) for each in fields(value)})
        return tuple(map(changed, value)) if isinstance(value, tuple) else value

    result: _T = changed(setup)
    return result


def files_for_others(setup: ToolSetup, path: Path) -> Iterator[Path]:
    """Where OpenSim's tool would write what another tool may read: models, markers, motions and muscle forces.

    Parameters
    ----------
    setup : ToolSetup
        The setup.
    path : Path
        Its file.

    Yields
    ------
    Path
        Absolute.
    """
    names: tuple[str, ...] = ()
    results = ""
    if isinstance(setup, ScaleSetup):
        placer = setup.placer
        names = () if setup.scaler is None else (setup.scaler.output_model,)
        names += () if placer is None else (placer.output_model, placer.output_markers, placer.output_motion)
    elif isinstance(setup, InverseKinematicsSetup):
        names = (setup.output_motion,)  # Beside the setup, whatever results_directory says.
    elif isinstance(setup, AnalyzeSetup):
        names, results = tuple(f"{setup.name}_{each.name}_force.sto" for each in setup.optimizations), setup.results
    for name in dict.fromkeys(filter(None, names)):
        yield Path(os.path.abspath(path.parent / results.replace("\\", "/") / name.replace("\\", "/")))
