"""What the doctor says of a visit, as a row of the list has it: a grade a layer, cycles to expect, and what somebody can do."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from biomech_id.languages import worded
from biomech_id.movement.grades import Grade, together

#: Layers that a row shows, in their order.
LAYERS = ("kinematics", "kinetics", "emg")
#: Lack that ``check`` names -> the cure that the page offers.
CURE_OF = {
    "static": "static", "mass": "mass", "measurements": "measurements", "diameter": "measurements", "placement": "measurements",
    "marker-names": "marker-set", "markers": "marker-set", "subject": "subject", "names-alike": "subject", "condition": "condition",
}  # fmt: skip


def read_look(text: str, choices: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what ``check --json`` says of a folder; None where it said nothing whole.

    Parameters
    ----------
    text : str
        Lines of JSON, one a file and the folder's last.
    choices : Mapping[str, Any]
        What was chosen when it was asked.
    """
    entries = []
    for line in text.splitlines():
        try:
            entries.append(json.loads(line))
        except ValueError:
            return None
    if not entries or "verdict" not in entries[-1]:
        return None
    folder, files = entries[-1], [each for each in entries[:-1] if "path" in each]
    findings = [*folder.get("findings", ()), *(each for file in files for each in file["findings"])]
    layers = {name: _worst(folder["layers"].get(name, {}).values()) for name in LAYERS}
    cycles = {side: _cycles(folder["cycles"].get(side, {})) for side in ("L", "R")}
    return {
        "verdict": folder["verdict"],
        "layers": layers,
        "cycles": {side: sum(each) for side, each in cycles.items()},
        "kinetics": {side: each[0] for side, each in cycles.items()},
        "cures": _cures(folder, files, findings, choices),
        "files": [_file(each, folder, choices) for each in files],
        "lacks": folder["lacks"],
        "said": [_said(each) for each in _each_once(findings) if each["severity"] != "info"],
        "static": folder["static"], "model": folder["model"],
    }  # fmt: skip


def _worst(grades: Iterable[str]) -> str:
    known = [Grade(grade) for grade in grades]
    return str(together(known)) if known else str(Grade.NOT_JUDGED)


def _cycles(side: Mapping[str, int]) -> tuple[int, int]:
    return side.get("with_kinetics", 0), side.get("without_kinetics", 0)


def _file(entry: Mapping[str, Any], folder: Mapping[str, Any], choices: Mapping[str, Any]) -> dict[str, Any]:
    path = Path(entry["path"])
    rate = entry["rate_hz"]
    return {
        "name": path.name,
        "readable": entry["readable"],
        "error": entry["error"],
        "seconds": entry["frames"] / rate if entry["frames"] and rate else None,
        "points": entry["points"],
        "channels": entry["analog_channels"],
        "plates": len(entry["plates"]),
        "static": path.stem in str(folder["static"] or "").split(", "),
        "out": path.name in choices.get("exclude", ()),
    }


def _said(finding: Mapping[str, Any]) -> dict[str, Any]:
    return {key: finding[key] for key in ("rule", "values", "severity", "message", "hint")}


def _each_once(findings: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return list({(each["rule"], each["message"]): each for each in findings}.values())


def sentences(look: Mapping[str, Any], language: str) -> list[str]:
    """Return what the doctor says in a language, the folder's own lacks first.

    Parameters
    ----------
    look : Mapping[str, Any]
        As of `read_look`.
    language : str
        One of `languages.LANGUAGES`.
    """
    by_message = {each["message"]: each for each in look["said"]}
    lines, named = list[str](), set[str]()
    for words in look["lacks"]:
        # A finding about one recording bears its name before it.
        trial, mark, message = ("", "", words) if words in by_message else words.partition(": ")
        known = by_message.get(message)
        lines.append(trial + mark + _in(known, language) if known else words)
        named.add(message)
    return list(dict.fromkeys([*lines, *(_in(each, language) for each in look["said"] if each["message"] not in named)]))


def _in(finding: Mapping[str, Any], language: str) -> str:
    try:
        return worded(finding["rule"], finding["values"], language)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError):
        return str(finding["message"])  # values came back from JSON, where a pair is a list


def _cures(
    folder: Mapping[str, Any], files: Iterable[Mapping[str, Any]], findings: Iterable[Mapping[str, Any]], choices: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """What somebody can do, each kind once, in the order in which it is asked for."""
    by_rule = {each["rule"]: each for each in findings}
    cures: dict[str, dict[str, Any]] = {}
    for cure in folder["cures"]:
        kind = CURE_OF.get(cure["lack"])
        if kind:
            entry = cures.setdefault(kind, {"kind": kind, "keys": [], "options": [], "needed": folder["verdict"] == "lacks"})
            entry["keys"] += [key for key in cure["keys"] if key not in entry["keys"]]
            entry["options"] += [_option(option) for option in cure["options"]]
    if "mass" in cures:
        known = by_rule.get("mass-from-plates")
        cures["mass"]["estimate"] = known and {"mass_kg": round(known["values"]["mass_kg"], 1), "said": _said(known)}
    if "condition" in cures:
        cures["condition"]["needed"] = False
    if "marker-set" in cures:
        labels = dict.fromkeys(label for each in files for label in each["labels"] or () if not label.startswith("*"))
        cures["marker-set"]["labels"] = list(labels)
    cut = [{"file": Path(each["path"]).name, "why": each["error"]} for each in files if not each["readable"]]
    cut += [
        {"file": Path(each["path"]).name, "why": finding["message"]}
        for each in files
        for finding in each["findings"]
        if finding["rule"] == "data-cut"
    ]
    cut = [each for each in cut if each["file"] not in choices.get("exclude", ())]
    if cut:
        cures["unreadable"] = {"kind": "unreadable", "files": cut}
    names = [label for each in findings if each["rule"] == "emg-doubtful-names" for label in each["values"]["labels"]]
    if names or choices.get("channels"):
        cures["channels"] = {"kind": "channels", "labels": sorted({*names, *choices.get("channels", {})}, key=_numbers)}
    if "recorded-twice" in by_rule:
        cures["copies"] = {"kind": "copies", "pairs": by_rule["recorded-twice"]["values"]["pairs"]}
    exchanged = [each["values"] for each in findings if each["rule"] == "leg-labels-exchanged" and "first" in each["values"]]
    if exchanged:
        trials: dict[tuple[str, str], list[str]] = {}
        for each in exchanged:
            trials.setdefault((each["first"], each["second"]), []).append(each["trial"])
        cures["exchange"] = {"kind": "exchange", "pairs": [{"what": list(pair), "trials": of} for pair, of in trials.items()]}
    return list(cures.values())


def _option(option: str) -> list[str]:
    """The values of an option that may be repeated, as a person has typed them."""
    return shlex.split(option)[1::2]


def _numbers(label: str) -> tuple[str, int]:
    """Order in which EMG 2 stands before EMG 10."""
    digits = "".join(filter(str.isdigit, label))
    return label.rstrip("0123456789"), int(digits or 0)
