"""OpenSim's ``ExternalLoads``: which columns of which table act on which body."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from biomech_id.errors import FileRefusedError, InvalidValueError
from biomech_id.readers.opensim.document import element_text, read_document
from biomech_id.values import dataclass


@dataclass(frozen=True)
class ExternalForceColumns:
    """One ``ExternalForce``.

    Attributes
    ----------
    name : str
        Name of the force in the document.
    body : str
        Name of the body that it acts on.
    force : str
        Stems of the columns, each followed by x, y and z; empty where the file names none.
    point : str
        Stems of the columns, each followed by x, y and z; empty where the file names none.
    torque : str
        Stems of the columns, each followed by x, y and z; empty where the file names none.
    force_frame : str, optional
        Bodies that force and point are expressed in.
    point_frame : str, optional
        Bodies that force and point are expressed in.
    """

    name: str
    body: str
    force: str
    point: str
    torque: str
    force_frame: str = "ground"
    point_frame: str = "ground"


@dataclass(frozen=True)
class ExternalLoadsFile:
    """One ``ExternalLoads`` file: its forces, and the table they come from.

    Attributes
    ----------
    forces : tuple[ExternalForceColumns, ...]
        In the order of the file.
    data_file : str
        Name of the table they come from.
    """

    forces: tuple[ExternalForceColumns, ...]
    data_file: str


def read_external_loads(path: Path, *, one_for_each_body: bool = True) -> ExternalLoadsFile:
    """Read an ``ExternalLoads`` file of any version of OpenSim's documents; forces that are switched off are left out.

    Parameters
    ----------
    path : Path
        The XML file; the table that it names may lie beside it.
    one_for_each_body : bool, optional
        Whether two forces on one body are refused: those of the ground.

    Returns
    -------
    ExternalLoadsFile
        Its forces, and the name of the table that holds them.

    Raises
    ------
    FileRefusedError
        Not such a file.
    InvalidValueError
        A force without a body, or two on one body; the message names them.
    """
    root = read_document(path)
    loads = root if root.tag == "ExternalLoads" else root.find(".//ExternalLoads")
    if loads is None:
        raise FileRefusedError(
            f"{path.name} holds no ExternalLoads.", value=root.tag, expected="an OpenSim ExternalLoads document", where=str(path)
        )
    forces = tuple(_force(element) for element in loads.iter("ExternalForce") if not _switched_off(element))
    _check(forces, path, one_for_each_body=one_for_each_body)
    return ExternalLoadsFile(forces, element_text(loads, "datafile"))


def _force(element: ElementTree.Element) -> ExternalForceColumns:
    return ExternalForceColumns(
        name=element.get("name", ""),
        body=element_text(element, "applied_to_body").rpartition("/")[2],
        force=element_text(element, "force_identifier"),
        point=element_text(element, "point_identifier"),
        torque=element_text(element, "torque_identifier"),
        force_frame=element_text(element, "force_expressed_in_body").rpartition("/")[2] or "ground",
        point_frame=element_text(element, "point_expressed_in_body").rpartition("/")[2] or "ground",
    )


def _switched_off(element: ElementTree.Element) -> bool:
    """Documents before version 4 say isDisabled, later ones appliesForce."""
    return element_text(element, "isDisabled").lower() == "true" or element_text(element, "appliesForce").lower() == "false"


def _check(forces: tuple[ExternalForceColumns, ...], path: Path, *, one_for_each_body: bool) -> None:
    bodies: dict[str, str] = {}
    for force in forces:
        if not force.body:
            raise InvalidValueError(
                f"{path.name}: the force {force.name} names no body (applied_to_body).",
                value=force.name, expected="the body it acts on, such as calcn_r", where=str(path),
            )  # fmt: skip
        if force.body in bodies and one_for_each_body:
            raise InvalidValueError(
                f"{path.name}: {bodies[force.body]} and {force.name} both act on {force.body}; "
                "a foot has one ground reaction, so one of them would be applied twice.",
                value=force.body, expected="one ExternalForce for each foot", where=str(path),
            )  # fmt: skip
        bodies[force.body] = force.name
