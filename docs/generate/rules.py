"""The page that explains every rule, generated from the rules themselves: ``python -m docs.generate.rules``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import biomech_id.languages
from biomech_id.languages import worded

PAGE = Path(__file__).resolve().parents[1] / "check-rules.md"
_TABLES = Path(biomech_id.languages.__file__).parent / "en" / "sentences"
INTRODUCTION = """# Every rule of the check: what `biomech-id check` and the main job notice

Generated from the tables in `biomech_id/languages/en/sentences`; do not edit.

Severity: **info** needs no action, **warning** may change results (exit code 3), **error** makes the file or trial unusable.
A warning or an error says who in a laboratory answers it: the **technician** (files, labels, events, measurements),
the **physicist** (plates, synchronisation, calibration) or the **clinician** (choices of model, bandwidth and norm, and decisions
about cycles and stances).
"""
#: Table -> heading.
SECTIONS = {
    "reading": "Noticed while reading",
    "check": "Noticed by the doctor",
    "session": "Noticed about a session",
    "models": "Noticed while calibrating and filtering",
    "gait": "Noticed in a trial",
    "plausibility": "Noticed of results against physics",
    "emg": "Noticed of muscle signals",
    "multibody": "Noticed of mechanisms",
    "opensim": "Noticed by `biomech-id check-opensim`",
    "fit": "Noticed by `biomech-id fit`",
    "diagnosis": "Named by a diagnosis",
}


def page() -> str:
    """Return the page as Markdown."""
    return INTRODUCTION + "".join(
        f"\n## {title}\n" + "".join(_entry(*item) for item in findings_of(name).items()) for name, title in SECTIONS.items()
    )


def findings_of(name: str) -> dict[str, dict[str, Any]]:
    """Return the rules of one table that are findings, which reasons inside other sentences are not.

    Parameters
    ----------
    name : str
        Of the table.
    """
    entries = tomllib.loads((_TABLES / f"{name}.toml").read_text(encoding="utf-8"))
    return {rule: entry for rule, entry in entries.items() if "severity" in entry}


def _entry(rule: str, entry: dict[str, Any]) -> str:
    hint = worded(
        rule, {"bodies": "A, B", "trials": "A, B", "class": "the markers, plates or measurements of its class"}, part="hint"
    )
    advice = f"\nWhat to do: {hint}\n" if hint else ""
    answers = f", for the {entry['answers']}" if "answers" in entry else ""
    return f"\n### {rule}\n\n**{entry['severity']}**{answers}. {entry['meaning']}\n{advice}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
