"""`check --json` of every recording says what independent parsers established (facts.json beside the recordings)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sessions import Sessions

from biomech_id.readers import read_recording

SIGNS = {"reaction(+up)": "reaction", "applied(-up)": "applied", "unloaded(<50)": "unknown"}


@pytest.fixture(scope="module")
def checked(c3d_dir: Path, sessions: Sessions) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Path -> (what is known, what check says), both after a trip through JSON."""
    known = json.loads((c3d_dir / "facts.json").read_text(encoding="utf-8"))["files"]
    return {fact["path"]: (fact, sessions.checked(f"c3d/{fact['path']}")) for fact in known}


def disagreements(fact: dict[str, Any], said: dict[str, Any]) -> list[str]:
    if fact["expect"] == "refuse":
        return [] if not said["readable"] and said["error"] else ["was read"]
    if not said["readable"]:
        return [f"refused: {said['error']}"] if fact["expect"] == "read" else []
    pairs = {
        "frames": (said["frames"], fact["frames"]),
        "rate": (round(said["rate_hz"], 4), round(fact["rate"], 4)),
        "first frame": (said["first_frame"], fact["first"]),
        "points": (said["points"], fact["points"]),
        "labels": (len(said["labels"]), fact["labels"]),
        "channels": (said["analog_channels"], fact["channels"]),
        "analog rate": (said["analog_rate_hz"] * (fact["channels"] > 0), fact["analog_rate"] * (fact["channels"] > 0)),
        "vertical": (said["vertical"], fact.get("vertical_markers", said["vertical"])),
        "number of plates": (len(said["plates"]), len(fact.get("plates", []))),
    }
    wrong = [f"{what}: {mine} instead of {theirs}" for what, (mine, theirs) in pairs.items() if mine != theirs]
    for mine, theirs in zip(said["plates"], fact.get("plates", []), strict=True):
        wrong += plate_disagreements(mine, theirs)
    return wrong + event_disagreements(fact, said) + subject_disagreements(fact, said)


def plate_disagreements(mine: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    wrong = [] if mine["type"] == theirs["type"] else [f"type {mine['type']}"]
    peak, known = mine["peak_vertical_N"], theirs["peak_vertical_up"]
    if abs(peak - known) > max(0.5, 1e-3 * abs(known)):
        wrong.append(f"peak {peak} instead of {known}")
    if mine["sign"] != SIGNS[theirs["sign"]]:
        wrong.append(f"sign {mine['sign']} instead of {theirs['sign']}")
    return wrong


def event_disagreements(fact: dict[str, Any], said: dict[str, Any]) -> list[str]:
    known = sorted(
        fact.get("events") or [["", label, time] for label, time, _ in fact.get("header_events") or []], key=lambda e: e[2]
    )
    mine = [event["time_s"] for event in said["events"]]
    # The facts give header events to four decimals.
    if len(mine) != len(known) or not np.allclose(mine, [event[2] for event in known], atol=1e-3):
        return [f"events at {mine} instead of {known}"]
    if fact.get("events"):
        labels = sorted((e["label"], round(e["time_s"], 3), e["context"]) for e in said["events"])
        expected = sorted((label, round(time, 3), context) for context, label, time in known)
        # A file without contexts may tell the side in its labels (LHS).
        wrong = [(m, k) for m, k in zip(labels, expected, strict=True) if m[:2] != k[:2] or (k[2] and m[2] != k[2])]
        return [f"events {wrong}"] if wrong else []
    return []


def subject_disagreements(fact: dict[str, Any], said: dict[str, Any]) -> list[str]:
    wrong = []
    subject = fact.get("subject") or {}
    mass = next((value for key, value in subject.items() if key in ("PROCESSING:BODYMASS", "SUBJECT:WEIGHT")), None)
    height = next((value for key, value in subject.items() if key.endswith(":HEIGHT")), None)
    mass = mass if mass is not None and 3 <= mass <= 300 else None
    # Vicon's millimetres, and the centimetres or metres of others: whichever is a person.
    height = next((height * unit for unit in (1e-3, 1e-2, 1.0) if height and 0.3 <= height * unit <= 2.5), None)
    for what, mine, known in (("mass_kg", said["subject"]["mass_kg"], mass), ("height_m", said["subject"]["height_m"], height)):
        if (mine is None) != (known is None) or (known is not None and abs(mine - known) > 1e-6 * known):
            wrong.append(f"{what} {mine} instead of {known}")
    return wrong


def test_every_recording_agrees_with_what_is_known(checked: dict[str, Any]) -> None:
    assert len(checked) >= 57
    assert {path: wrong for path, (fact, said) in checked.items() if (wrong := disagreements(fact, said))} == {}


def test_the_comparison_can_fail(checked: dict[str, Any]) -> None:
    fact, said = checked["children/HC036A/HC036A10.c3d"]
    for key, value in (("frames", 1), ("first_frame", 2), ("events", []), ("subject", {"mass_kg": 34.0, "height_m": 1.34})):
        assert disagreements(fact, said | {key: value}), key
    flipped = [plate | {"sign": "applied"} for plate in said["plates"]]
    assert disagreements(fact, said | {"plates": flipped})


@pytest.mark.parametrize(
    ("folder", "base", "others", "tolerance_m"),
    [
        # Floats that were made from the integers: the rounding of float32, 2e-4 mm.
        ("c3d_org/sample01", "Eb015pr.c3d", ["Eb015pi.c3d", "Eb015si.c3d", "Eb015vi.c3d"], 2e-7),
        # Integers rounded twice by different programs: one scale unit, 0.2812 mm.
        ("c3d_org/sample02", "pc_int.c3d", ["DEC_INT.C3D", "sgi_int.c3d", "pc_real.c3d"], 2.812e-4),
    ],
)
def test_encodings_of_one_recording_give_the_same_data(
    c3d_dir: Path, folder: str, base: str, others: list[str], tolerance_m: float
) -> None:
    one = read_recording(c3d_dir / folder / base, trust=True).trial
    for other in others:
        two = read_recording(c3d_dir / folder / other, trust=True).trial
        assert two.markers.names == one.markers.names
        np.testing.assert_allclose(two.markers.position_m, one.markers.position_m, atol=tolerance_m, rtol=0)
        for mine, theirs in zip(two.plates, one.plates, strict=True):
            np.testing.assert_allclose(mine.force_lab_N, theirs.force_lab_N, atol=1e-9)
            np.testing.assert_allclose(mine.moment_lab_Nm, theirs.moment_lab_Nm, atol=1e-9)
        # One of the programs added a mark for the end of the file.
        assert [e for e in two.events if e.label != "EOF"] == [e for e in one.events if e.label != "EOF"]
        assert two.subject == one.subject
