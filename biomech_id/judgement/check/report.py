"""What the doctor has to say about one file: a value to render, and one line of JSON for other programs."""

from __future__ import annotations

import json
import math
from typing import Any

from biomech_id.anatomy import SIDE_WORDS
from biomech_id.conventions import SCHEMA
from biomech_id.errors import Finding
from biomech_id.readers import Recording
from biomech_id.readers.c3d.plate_setup import PlateFacts
from biomech_id.trial import Trial
from biomech_id.trial.worn import NOT_STATED
from biomech_id.values import dataclass


@dataclass(frozen=True)
class CheckReport:
    """One file's check.

    Attributes
    ----------
    path : str
        The file, as it was given.
    error : str | None
        Why the file cannot be read, in one sentence, or None.
    recording : Recording | None
        What was read, or None.
    findings : tuple[Finding, ...]
        Everything noticed, the reader's findings first.
    """

    path: str
    error: str | None
    recording: Recording | None
    findings: tuple[Finding, ...]

    @property
    def readable(self) -> bool:
        """Whether the file could be read."""
        return self.error is None

    def to_dict(self) -> dict[str, Any]:
        """Return the object of ``check --json`` (fixed keys; None where a number is not known or the file not readable)."""
        head = {"schema": SCHEMA, "path": self.path, "readable": self.readable, "error": self.error}
        findings = [{**f.to_dict(), "severity": str(f.severity), "message": f.message, "hint": f.hint} for f in self.findings]
        plain: dict[str, Any] = _without_nan({**head, **_contents(self.recording), "findings": findings})
        return plain

    def to_json(self) -> str:
        """Return `to_dict` as one line."""
        return json.dumps(self.to_dict(), allow_nan=False)


#: What is told of a file under its own name.
_FACTS = ("frames", "rate_hz", "first_frame", "points", "labels", "analog_channels", "analog_rate_hz", "units", "vertical")


def _contents(recording: Recording | None) -> dict[str, Any]:
    if recording is None:
        unknown = {
            "plates": [],
            "events": [],
            "subject": dict.fromkeys(("mass_kg", "height_m", "aid", "footwear")),
            "model_outputs": [],
            "rotations": [],
        }
        return {**dict.fromkeys(_FACTS), **unknown}
    facts, trial = recording.facts, recording.trial
    return {
        **{name: getattr(facts, name) for name in _FACTS},
        "labels": list(facts.labels),
        "plates": [_plate(plate) for plate in facts.plates],
        "events": [
            {"label": event.label, "context": SIDE_WORDS[event.side].title() or "General", "time_s": event.time_s}
            for event in facts.events
        ],
        "subject": {"mass_kg": trial.subject.mass_kg, "height_m": trial.subject.height_m, **_aid_and_shoes(trial)},
        "model_outputs": list(trial.model_outputs),
        "rotations": list(facts.rotations),
    }


def _aid_and_shoes(trial: Trial) -> dict[str, str]:
    return {name: getattr(trial.subject, name) or NOT_STATED for name in ("aid", "footwear")}


def _plate(plate: PlateFacts) -> dict[str, Any]:
    return {
        "type": plate.kind,
        **{name: getattr(plate, name) for name in ("peak_vertical_N", "lowest_vertical_N", "sign", "baseline_N")},
        "corners_m": plate.corners_m.tolist(),
        "problem": str(plate.problem) if plate.problem else None,
    }


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
