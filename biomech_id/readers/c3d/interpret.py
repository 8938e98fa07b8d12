"""From an opened C3D file to a trial: every step a named function, every doubt a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import Finding
from biomech_id.markersets import load_markerset
from biomech_id.readers.c3d.channels import read_channels
from biomech_id.readers.c3d.contradictions import contradictions
from biomech_id.readers.c3d.events import events_inside, events_of, stored_events
from biomech_id.readers.c3d.file import C3DFile, open_c3d
from biomech_id.readers.c3d.labels import Labels, sort_labels
from biomech_id.readers.c3d.plate_setup import DeclaredPlate, PlateSetup, describe_plates
from biomech_id.readers.c3d.plates import PlateFacts, read_plate
from biomech_id.readers.c3d.positions import reject_impossible, without_missing
from biomech_id.readers.c3d.rotations import read_rotations
from biomech_id.readers.c3d.session_date import session_date
from biomech_id.readers.c3d.subject import read_subject
from biomech_id.readers.c3d.units import LengthUnit, find_length_unit
from biomech_id.readers.recording import FileFacts, Recording, with_marker_set
from biomech_id.readers.source import Source
from biomech_id.readers.vertical import Vertical, find_vertical
from biomech_id.sentences import Sentence
from biomech_id.trial import Event, ForcePlate, Markers, Trial

_T = TypeVar("_T")


@dataclass(frozen=True)
class _Points:
    """Points in file axes: raw markers in metres; outputs and virtual points in the file's units."""

    names: tuple[str, ...]
    marker_file_m: FloatArray
    outputs: dict[str, FloatArray]


def interpret(
    source: Source, subject: str | None = None, marker_set: str | None = None, plates: Sequence[DeclaredPlate] = ()
) -> Recording:
    """Return the trial a file holds, and what the file says (see `read_c3d`).

    Parameters
    ----------
    source : Source
        The file's bytes and where they come from.
    subject : str | None, optional
        Prefix of the subject wanted, where a file holds several; None for the only one.
    marker_set : str | None, optional
        Name or file of a marker set; None finds the one that fits.
    plates : Sequence[DeclaredPlate], optional
        What a laboratory declares its plates of unknown types to be.

    Raises
    ------
    FileRefusedError
        The file cannot be read, or reading it would give wrong numbers.
    MissingInputError
        The wanted subject is not in the file.
    OptionError
        There is no such marker set.
    """
    markerset = None if marker_set is None else load_markerset(marker_set)
    file = open_c3d(source)
    findings: list[Finding] = list(file.findings)
    labels = _noted(sort_labels(file, subject), findings)
    setups = describe_plates(file, plates)
    _note_absences(file, setups, findings)
    findings.extend(contradictions(file, setups))
    stored, measured = file.points()
    usable = [setup for setup in setups if not setup.problem]
    length = _noted(find_length_unit(file, _body_extent(stored, labels), np.ravel([setup.sides for setup in usable])), findings)
    points = _sorted_points(file, stored, measured, labels, length, findings)
    paths = {name: points.marker_file_m[:, i] for i, name in enumerate(points.names)}
    screen = file.parameters.text("POINT", "Y_SCREEN")
    vertical = _noted(
        find_vertical([setup.corners for setup in usable], paths, screen, where=source.name, markerset=markerset), findings
    )
    read_plates, plate_facts = _plates(file, setups, length, vertical, points.marker_file_m, findings)
    stored_in_file = _noted(stored_events(file), findings)
    events = _noted(events_inside(events_of(labels.subject, labels.subjects, stored_in_file, file), file), findings)
    day = session_date(file.parameters)
    person = _noted(read_subject(file, labels.subject, day), findings)
    rotations = _noted(read_rotations(file, length, vertical), findings)
    markers = Markers(points.names, points.marker_file_m @ vertical.R_lab_file.T, file.layout.rate_hz)
    if markerset is not None:
        markers = with_marker_set(markers, markerset)
    trial = Trial(
        name=source.path.stem, markers=markers,
        plates=read_plates, events=events, subject=person, first_frame=file.layout.first_frame, model_outputs=points.outputs,
        path=str(source.path), sha256=source.sha256, session_date=day,
        history=_history(file, length, vertical, labels, read_plates), findings=tuple(findings),
        analog=read_channels(file, setups), rotations=rotations, software=_software(file),
    )  # fmt: skip
    facts = _facts(file, labels, vertical, plate_facts, tuple(s.event for s in stored_in_file))
    return Recording(trial, replace(facts, rotations=rotations.names))


def _software(file: C3DFile) -> str:
    """Name and version of the program that wrote the file."""
    return " ".join(filter(None, (file.parameters.text("MANUFACTURER", name).strip() for name in ("SOFTWARE", "VERSION_LABEL"))))


def _noted(result: tuple[_T, tuple[Finding, ...]], findings: list[Finding]) -> _T:
    """Unpack (value, findings): keep the findings, pass the value on."""
    value, noticed = result
    findings.extend(noticed)
    return value


def _note_absences(file: C3DFile, setups: tuple[PlateSetup, ...], findings: list[Finding]) -> None:
    where, layout = file.source.name, file.layout
    if layout.channels == 0:
        findings.append(Finding("analog-missing", {"file": where}, where))
    if not setups:
        findings.append(Finding("plates-none", {"file": where}, where))
    if layout.points == 0:
        segments = layout.poses.count if layout.poses else 0
        values = {"file": where, "channels": layout.channels, "rate_hz": layout.analog_rate_hz, "segments": segments}
        findings.append(Finding("points-none", values, where))
    told = {name: len(file.joined_numbers("ANALOG", name)) for name in ("SCALE", "OFFSET")}
    short = [(count, layout.channels, name) for name, count in told.items() if count < layout.channels]
    if short:
        findings.append(Finding("analog-uncalibrated", {"file": where, "given": short}, where))


def _body_extent(stored: FloatArray, labels: Labels) -> float:
    """Typical largest distance along an axis between markers of one frame, in file units; NaN without markers."""
    path = stored[:: max(1, len(stored) // 20), list(labels.markers.values())]
    if path.shape[1] < 2:
        return float("nan")
    with np.errstate(invalid="ignore"):
        path = np.where((np.isfinite(path) & (path != 0.0) & (np.abs(path) < 1e9)).all(axis=2, keepdims=True), path, np.nan)
    usable = path[np.isfinite(path).all(axis=2).sum(axis=1) > 1]
    return float(np.median((np.nanmax(usable, axis=1) - np.nanmin(usable, axis=1)).max(axis=1))) if len(usable) else float("nan")


def _sorted_points(
    file: C3DFile, stored: FloatArray, measured: BoolArray, labels: Labels, length: LengthUnit, findings: list[Finding]
) -> _Points:
    where = file.source.name
    chosen = list(labels.markers.values())
    raw = without_missing(stored[:, chosen], measured[:, chosen], zero_is_missing=True)
    infinite = int((measured[:, chosen] & ~np.isfinite(stored[:, chosen]).all(axis=2)).sum())
    marker_m = _noted(reject_impossible(raw * length.metres, infinite, where=where), findings)
    seen: BoolArray = np.asarray(np.isfinite(marker_m).all(axis=2).any(axis=0))
    names = tuple(labels.markers)
    if names and not seen.any():
        findings.append(Finding("markers-all-missing", {"file": where, "markers": len(names)}, where))
    elif not np.all(seen):
        unseen = [name for name, there in zip(names, seen, strict=True) if not there]
        findings.append(Finding("markers-never-seen", {"file": where, "markers": unseen}, where))
    outputs: dict[str, FloatArray] = {}
    for kind, zero in ((labels.outputs, False), (labels.virtual, True)):
        index = list(kind.values())
        values = without_missing(stored[:, index], measured[:, index], zero_is_missing=zero)
        values = np.ascontiguousarray(values.swapaxes(0, 1))
        values.flags.writeable = False
        outputs |= dict(zip(kind, values, strict=True))
    return _Points(names, marker_m, outputs)


def _plates(
    file: C3DFile, setups: tuple[PlateSetup, ...], length: LengthUnit, vertical: Vertical, position_file_m: FloatArray,
    findings: list[Finding],
) -> tuple[tuple[ForcePlate, ...], tuple[PlateFacts, ...]]:  # fmt: skip
    read = [read_plate(file, setup, length, vertical, position_file_m) for setup in setups]
    findings += [finding for *_, noticed in read for finding in noticed]
    return tuple(plate for plate, *_ in read if plate is not None), tuple(fact for _, fact, _ in read)


def _history(
    file: C3DFile, length: LengthUnit, vertical: Vertical, labels: Labels, plates: tuple[ForcePlate, ...]
) -> tuple[Sentence, ...]:
    layout = file.layout
    read = {
        "frames": layout.n_frames, "rate_hz": layout.rate_hz, "file": file.source.name, "processor": file.parameters.processor.name,
        "is_float": layout.is_float, "unit": length.name, "guessed": not length.stated,
    }  # fmt: skip
    steps = [Sentence("read", read)]
    if labels.subject:
        steps.append(Sentence("took-subject", {"subject": labels.subject}))
    if vertical.axis != "+Z":
        steps.append(Sentence("rotated", {"axis": vertical.axis, "witness": vertical.witness}))
    steps += [Sentence("plate-read", {"plate": plate.name, "steps": plate.history}) for plate in plates]
    return tuple(steps)


def _facts(
    file: C3DFile, labels: Labels, vertical: Vertical, plates: tuple[PlateFacts, ...], events: tuple[Event, ...]
) -> FileFacts:
    layout = file.layout
    return FileFacts(
        processor=file.parameters.processor.name, number_format="float" if layout.is_float else "integer",
        frames=layout.n_frames, frames_promised=layout.frames_promised, rate_hz=layout.rate_hz,
        analog_rate_hz=layout.analog_rate_hz if layout.channels else 0.0, first_frame=layout.first_frame, points=layout.points,
        labels=labels.stored, analog_channels=layout.channels, units=file.parameters.text("POINT", "UNITS"),
        vertical=vertical.axis, plates=plates, events=events,
    )  # fmt: skip
