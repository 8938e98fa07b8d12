"""Visits as the page has them: rows of the list, and all of one visit."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biomech_id.desk.archive import ArchiveVisit
from biomech_id.desk.command import command_line, run_words
from biomech_id.desk.look import sentences
from biomech_id.desk.marker_names import NAMES, pictured_markers, proposed_names
from biomech_id.desk.office import Office
from biomech_id.desk.record import CHOICES_FILE, REVIEW_FILE, VisitRecord, revision_of
from biomech_id.desk.versions import is_readable, signatures_of
from biomech_id.languages import LANGUAGES
from biomech_id.markersets import MARKER_SETS

#: Rows of one page of the list.
PAGE = 50


def today(
    office: Office, *, state: str = "", patient: str = "", search: str = "", after: int = 0, limit: int = PAGE
) -> dict[str, Any]:
    """Return rows of visits, the newest first, and how many there are in each stage.

    Parameters
    ----------
    office : Office
        The desk.
    state : str, optional
        Only visits at this stage.
    patient : str, optional
        Only this patient's.
    search : str, optional
        Only those whose path holds all of these words.
    after : int, optional
        How many rows are left out.
    limit : int, optional
        How many at most.
    """
    words = search.casefold().split()
    visits = [
        visit
        for visit in office.archive.newest()
        if all(word in visit.path.casefold() for word in words) and (not patient or visit.patient == patient)
    ]
    stages = {visit.id: office.stage(visit) for visit in visits}
    chosen = [visit for visit in visits if not state or stages[visit.id] == state]
    return {
        "rows": [visit_row(office, visit, stages[visit.id]) for visit in chosen[after : after + limit]],
        "total": len(chosen),
        "counts": Counter(stages.values()),
        "archive": office.archive.root.name,
        "read_only": not office.lock.held,
        "holder": {} if office.lock.held else office.lock.holder,
    }


def visit_row(office: Office, visit: ArchiveVisit, stage: str | None = None) -> dict[str, Any]:
    """Return one row: a grade a layer, expected before a run and found after it, cycles, and open cures.

    Parameters
    ----------
    office : Office
        The desk.
    visit : ArchiveVisit
        Of the archive.
    stage : str | None, optional
        Where it is known.
    """
    results = office.results(visit)
    look = office.look_of(visit)
    stage = stage or office.stage(visit)
    computed = results.there and stage in ("review", "signed")
    grades = results.grades() if computed else look["layers"] if look else {}
    cycles, kinetics = results.cycles() if computed else (look["cycles"], look["kinetics"]) if look else ({}, {})
    task = office.queue.of(visit.id)
    failed = office.failed.get(visit.id)
    versions = results.record.folder / "versions"
    entries = signatures_of(versions) if is_readable(versions) else ()
    return {
        "id": visit.id, "visit": visit.path, "patient": visit.patient, "name": visit.name,
        "newest": visit.newest_ns // 1_000_000, "stage": stage, "source": "found" if computed else "expected",
        "layers": {} if failed and not computed and not look else grades, "cycles": cycles, "kinetics": kinetics,
        "look": _look_state(office, visit, look), "verdict": look["verdict"] if look else None,
        "cures": [cure["kind"] for cure in look["cures"] if _is_open(cure, results.record)] if look else [],
        "ready": look is not None and look["verdict"] != "lacks",
        "job": task.to_dict() if task and not task.ended else None,
        "failed": failed[1] if failed else [],
        "signed": [{"version": each.values["version"], "code": each.code} for each in entries],
        "has_results": results.there,
    }  # fmt: skip


def _look_state(office: Office, visit: ArchiveVisit, look: Mapping[str, Any] | None) -> str:
    if look is not None:
        return "looked"
    task = office.queue.of(visit.id, "look")
    return "failed" if task is not None and task.state in ("failed", "cancelled") else "looking"


def _is_open(cure: Mapping[str, Any], record: VisitRecord) -> bool:
    """Whether a cure waits for somebody."""
    choices = record.choices
    if cure["kind"] == "condition":
        return False
    if cure["kind"] == "channels":
        return not set(cure["labels"]) <= set(choices.get("channels", {}))
    if cure["kind"] == "copies":
        return not {name for name, _ in cure["pairs"]} <= {Path(name).stem for name in choices.get("exclude", ())}
    if cure["kind"] == "exchange":
        repaired = [tuple(each["what"]) for each in _repairs(record) if each["kind"] == "labels"]
        return any(tuple(pair["what"]) not in repaired for pair in cure["pairs"])
    return True


def _repairs(record: VisitRecord) -> list[dict[str, Any]]:
    return list(tomllib.loads(record.review_text()).get("repair", []))


def visit_details(office: Office, visit: ArchiveVisit, language: str = "en") -> dict[str, Any]:
    """Return all that the page shows of one visit.

    Parameters
    ----------
    office : Office
        The desk.
    visit : ArchiveVisit
        Of the archive.
    language : str, optional
        One of `languages.LANGUAGES`.
    """
    record = office.record(visit)
    look = office.look_of(visit)
    return {
        **visit_row(office, visit),
        "choices": record.choices,
        "revision": revision_of(record.folder / CHOICES_FILE),
        "review_revision": revision_of(record.folder / REVIEW_FILE),
        "repairs": _repairs(record),
        "command": command_line(run_words(record)),
        "journal": record.journal(),
        "open": [{**cure, "open": _is_open(cure, record)} for cure in look["cures"]] if look else [],
        "said": sentences(look, language if language in LANGUAGES else "en") if look else [],
        "files": look["files"] if look else [{"name": name} for name in visit.names],
        "films": list(visit.films),
        "marker_sets": sorted(MARKER_SETS) if look and "marker-set" in look_kinds(look) else [],
        **_markers(look),
        "last_channels": _last_channels(office, visit) if look and "channels" in look_kinds(look) else None,
        "norms": [{"path": path, "name": Path(path).stem} for path in office.norms],
        "model": look["model"] if look else None,
        "static": look["static"] if look else None,
        "look_failed": _look_failed(office, visit) if look is None else [],
    }


def _markers(look: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a marker can be called, and what the labels of markers that no set knows say by themselves."""
    labels: list[str] = (
        next((cure["labels"] for cure in look["cures"] if "labels" in cure and cure["kind"] == "marker-set"), []) if look else []
    )
    return {"marker_names": list(NAMES), "proposed_markers": proposed_names(labels) if labels else {}}


def standing_markers(office: Office, visit: ArchiveVisit) -> dict[str, list[float]]:
    """Return where the markers are in a visit's static trial, or in another recording where there is none.

    Parameters
    ----------
    office : Office
        The desk.
    visit : ArchiveVisit
        Of the archive.

    Returns
    -------
    dict[str, list[float]]
        As of `pictured_markers`; empty where nobody has looked yet, or nothing can be read.
    """
    look = office.look_of(visit)
    readable = [each for each in look["files"] if each["readable"] and each["points"]] if look else []
    best = min(readable, key=lambda each: not each["static"], default=None)
    return pictured_markers(visit.folder / best["name"]) if best else {}


def _look_failed(office: Office, visit: ArchiveVisit) -> list[str]:
    task = office.queue.of(visit.id, "look")
    return task.aside[-3:] if task is not None and task.state == "failed" else []


def look_kinds(look: Mapping[str, Any]) -> set[str]:
    """Return the kinds of cures that a look names.

    Parameters
    ----------
    look : Mapping[str, Any]
        As of `look.read_look`.
    """
    return {cure["kind"] for cure in look["cures"]}


def _last_channels(office: Office, visit: ArchiveVisit) -> dict[str, str] | None:
    """Muscles of channels at the newest other visit where somebody named them."""
    others = (office.record(each) for each in office.archive.newest() if each.id != visit.id)
    named = (record.choices.get("channels") for record in others if record.folder.is_dir())
    return next((dict(channels) for channels in named if channels), None)


def patients(office: Office, search: str = "") -> list[dict[str, Any]]:
    """Return everybody whose name holds all of these words, and how many visits each has.

    Parameters
    ----------
    office : Office
        The desk.
    search : str, optional
        Words.
    """
    counted = Counter(visit.patient for visit in office.archive.visits.values())
    words = search.casefold().split()
    return [{"name": name, "visits": n} for name, n in sorted(counted.items()) if all(word in name.casefold() for word in words)]


def patient_visits(office: Office, name: str) -> list[dict[str, Any]]:
    """Return the visits of one patient, the oldest first, with their conditions.

    Parameters
    ----------
    office : Office
        The desk.
    name : str
        As of `patients`.
    """
    own = [visit for visit in reversed(office.archive.newest()) if visit.patient == name]
    return [{**visit_row(office, visit), "conditions": _conditions(office, visit), "films": list(visit.films)} for visit in own]


def _conditions(office: Office, visit: ArchiveVisit) -> list[str]:
    results = office.results(visit)
    chosen = results.record.choices.get("conditions", {})
    known = results.summary.get("conditions", []) if results.there else []
    return sorted({*map(str, chosen.values()), *filter(None, known)})
