"""From an opened C3D file to a trial: every step a named function, every doubt a finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import FileRefusedError
from biomech_id.languages import Sentence
from biomech_id.markersets import load_markerset
from biomech_id.readers.c3d.contradictions import note_contradictions
from biomech_id.readers.c3d.events import events_inside, events_of, stored_events
from biomech_id.readers.c3d.file import C3DFile, open_c3d
from biomech_id.readers.c3d.labels import Labels, numbered, sort_labels
from biomech_id.readers.c3d.plate_setup import DeclaredPlate, PlateSetup, describe_plates
from biomech_id.readers.c3d.plates import read_plate
from biomech_id.readers.c3d.rotations import read_rotations
from biomech_id.readers.c3d.session_date import session_date
from biomech_id.readers.c3d.subject import read_subject, stored_numbers
from biomech_id.readers.c3d.units import LengthUnit, find_length_unit
from biomech_id.readers.recording import FileFacts, Recording, with_marker_set
from biomech_id.readers.source import FileFindings, Source
from biomech_id.readers.vertical import Vertical, find_vertical
from biomech_id.trial import AnalogChannels, ForcePlate, Markers, PlateChannel, Trial
from biomech_id.trial.markers import LARGEST_POSITION_M
from biomech_id.values import dataclass


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

    Returns
    -------
    Recording
        The trial in SI units and laboratory axes with every finding, and the facts before anything was done to them.

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
    findings = FileFindings(source.name)
    findings.extend(file.findings)
    labels = sort_labels(file, subject, findings)
    setups = describe_plates(file, plates)
    _note_absences(file, setups, findings)
    note_contradictions(file, setups, findings)
    stored, measured = file.points()
    usable = [setup for setup in setups if not setup.problem]
    length = find_length_unit(file, _body_extent(stored, labels), np.ravel([setup.sides for setup in usable]), findings)
    points = _sorted_points(stored, measured, labels, length, findings)
    paths = {name: points.marker_file_m[:, i] for i, name in enumerate(points.names)}
    screen = file.parameters.text("POINT", "Y_SCREEN")
    vertical = find_vertical([setup.corners for setup in usable], paths, screen, findings, markerset)
    read = [read_plate(file, setup, length, vertical, points.marker_file_m) for setup in setups]
    findings += [finding for *_, of_plate in read for finding in of_plate]
    read_plates = tuple(plate for plate, *_ in read if plate is not None)
    all_events = stored_events(file, findings)
    events = events_inside(events_of(labels.subject, labels.subjects, all_events, file), file, findings)
    day = session_date(file.parameters)
    person = read_subject(file, labels.subject, day, findings)
    rotations = read_rotations(file, length, vertical, findings)
    markers = Markers(points.names, points.marker_file_m @ vertical.R_lab_file.T, file.layout.rate_hz)
    if markerset is not None:
        markers = with_marker_set(markers, markerset)
    trial = Trial(
        name=source.path.stem, markers=markers,
        plates=read_plates, events=events, subject=person, first_frame=file.layout.first_frame, model_outputs=points.outputs,
        path=str(source.path), sha256=source.sha256, session_date=day,
        history=_history(file, length, vertical, labels, read_plates), findings=tuple(findings),
        analog=read_channels(file, setups), rotations=rotations, software=_software(file),
        stored_numbers=stored_numbers(file),
    )  # fmt: skip
    layout = file.layout
    facts = FileFacts(
        processor=file.parameters.processor.name, number_format="float" if layout.is_float else "integer",
        frames=layout.n_frames, frames_promised=layout.frames_promised, rate_hz=layout.rate_hz,
        analog_rate_hz=layout.analog_rate_hz if layout.channels else 0.0, first_frame=layout.first_frame, points=layout.points,
        labels=labels.stored, analog_channels=layout.channels, units=file.parameters.text("POINT", "UNITS"),
        vertical=vertical.axis, plates=tuple(fact for _, fact, _ in read), events=tuple(each.event for each in all_events),
        rotations=rotations.names,
    )  # fmt: skip
    return Recording(trial, facts)


def _software(file: C3DFile) -> str:
    """Name and version of the program that wrote the file."""
    return " ".join(filter(None, (file.parameters.text("MANUFACTURER", name).strip() for name in ("SOFTWARE", "VERSION_LABEL"))))


def _note_absences(file: C3DFile, setups: tuple[PlateSetup, ...], findings: FileFindings) -> None:
    layout = file.layout
    if layout.channels == 0:
        findings.add("analog-missing")
    if not setups:
        findings.add("plates-none")
    if layout.points == 0:
        segments = layout.poses.count if layout.poses else 0
        findings.add("points-none", channels=layout.channels, rate_hz=layout.analog_rate_hz, segments=segments)
    counts = {name: len(file.joined_numbers("ANALOG", name)) for name in ("SCALE", "OFFSET")}
    short = [(count, layout.channels, name) for name, count in counts.items() if count < layout.channels]
    if short:
        findings.add("analog-uncalibrated", given=short)


def _body_extent(stored: FloatArray, labels: Labels) -> float:
    """Typical largest distance along an axis between markers of one frame, in file units; NaN without markers."""
    path = stored[:: max(1, len(stored) // 20), list(labels.markers.values())]
    if path.shape[1] < 2:
        return float("nan")
    with np.errstate(invalid="ignore"):
        path = np.where((np.isfinite(path) & (path != 0.0) & (np.abs(path) < 1e9)).all(axis=2, keepdims=True), path, np.nan)
    usable = path[np.isfinite(path).all(axis=2).sum(axis=1) > 1]
    return float(np.median((np.nanmax(usable, axis=1) - np.nanmin(usable, axis=1)).max(axis=1))) if len(usable) else float("nan")


def _sorted_points(stored: FloatArray, measured: BoolArray, labels: Labels, length: LengthUnit, findings: FileFindings) -> _Points:
    chosen = list(labels.markers.values())
    raw = without_missing(stored[:, chosen], measured[:, chosen], zero_is_missing=True)
    infinite = int((measured[:, chosen] & ~np.isfinite(stored[:, chosen]).all(axis=2)).sum())
    marker_m = reject_impossible(raw * length.metres, infinite, findings)
    seen: BoolArray = np.asarray(np.isfinite(marker_m).all(axis=2).any(axis=0))
    names = tuple(labels.markers)
    if names and not seen.any():
        findings.add("markers-all-missing", markers=len(names))
    elif not np.all(seen):
        unseen = [name for name, there in zip(names, seen, strict=True) if not there]
        findings.add("markers-never-seen", markers=unseen)
    outputs: dict[str, FloatArray] = {}
    for kind, zero in ((labels.outputs, False), (labels.virtual, True)):
        index = list(kind.values())
        values = without_missing(stored[:, index], measured[:, index], zero_is_missing=zero)
        values = np.ascontiguousarray(values.swapaxes(0, 1))
        values.flags.writeable = False
        outputs |= dict(zip(kind, values, strict=True))
    return _Points(names, marker_m, outputs)


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


def read_channels(file: C3DFile, setups: Iterable[PlateSetup]) -> AnalogChannels:
    """Return every analog channel of a file.

    A channel without a label is called by its number, a label's second channel LABEL_2. ``values`` follow the C3D user guide,
    "The ANALOG group": (stored - OFFSET) * SCALE * GEN_SCALE.

    Parameters
    ----------
    file : C3DFile
        Opened by `open_c3d`; its samples are not copied.
    setups : Iterable[PlateSetup]
        Its force plates as described, usable or not.

    Returns
    -------
    AnalogChannels
        Stored words with scale and offset of each; no channels where the file has no analog samples.
    """
    n = file.layout.channels if file.layout.samples else 0
    if not n:
        return AnalogChannels()
    labels = [*file.joined_strings("ANALOG", "LABELS"), *[""] * n][:n]
    names, _ = numbered(label or f"channel {number}" for number, label in enumerate(labels, start=1))
    descriptions = (*file.joined_strings("ANALOG", "DESCRIPTIONS"), *[""] * n)[:n]
    units = (*file.joined_strings("ANALOG", "UNITS"), *[""] * n)[:n]
    of_plates: dict[int, PlateChannel] = {}
    for setup in setups:
        for number, channel in enumerate(setup.channels, start=1):
            of_plates.setdefault(channel, PlateChannel(setup.name, number))
    plates = tuple(of_plates.get(channel) for channel in range(n))
    scale, offset = file.calibration
    return AnalogChannels(
        tuple(names), units, file.layout.analog_rate_hz, file.all_analog_words, scale, offset, plates, descriptions
    )


#: When more than this share of the positions is impossible, unit or layout are wrong, and the rest is no better.
LARGEST_IMPOSSIBLE_SHARE = 0.2


def without_missing(positions: FloatArray, measured: BoolArray, *, zero_is_missing: bool) -> FloatArray:
    """Return positions with NaN where nothing was measured.

    Missing are: a negative residual, any component that is not finite, and exactly (0, 0, 0) if ``zero_is_missing``
    (true for points in space: many programs write it for a marker they did not see).

    Parameters
    ----------
    positions : FloatArray
        (n_frames, n_points, 3), as stored.
    measured : BoolArray
        (n_frames, n_points), whether the file calls the point measured.
    zero_is_missing : bool
        Whether a point at the origin is a missing one.

    Returns
    -------
    FloatArray
        (n_frames, n_points, 3), all three components of a missing point NaN.
    """
    missing = ~measured | ~np.isfinite(positions).all(axis=2)
    if zero_is_missing:
        missing |= (positions == 0.0).all(axis=2)
    return np.where(missing[..., None], np.nan, positions)


def reject_impossible(position_m: FloatArray, infinite: int, findings: FileFindings) -> FloatArray:
    """Return positions without those beyond 100 m.

    Parameters
    ----------
    position_m : FloatArray
        (n_frames, n_points, 3), laboratory axes.
    infinite : int
        How many measured positions were stored as NaN or Inf (they are missing already).
    findings : FileFindings
        Takes one that counts them, where there are any.

    Returns
    -------
    FloatArray
        (n_frames, n_points, 3), NaN in place of impossible ones.

    Raises
    ------
    FileRefusedError
        So many are impossible that the unit or the layout of the whole file must be wrong.
    """
    with np.errstate(invalid="ignore"):
        far = np.any(np.abs(position_m) > LARGEST_POSITION_M, axis=2, keepdims=True)
    seen = int(np.isfinite(position_m).all(axis=2).sum())
    count = int(far.sum())
    if count > LARGEST_IMPOSSIBLE_SHARE * max(seen, 1):
        raise FileRefusedError(
            f"{findings.file} places {count} of {seen} marker positions more than {LARGEST_POSITION_M:g} m away: "
            "its length unit or its data is wrong.",
            value=count, expected=f"positions within {LARGEST_POSITION_M:g} m", where=findings.file,
        )  # fmt: skip
    if not count and not infinite:
        return position_m
    both = count > 0 and infinite > 0
    findings.add("positions-impossible", far=count, limit_m=LARGEST_POSITION_M, infinite=infinite, both=both)
    return np.where(far, np.nan, position_m) if count else position_m
