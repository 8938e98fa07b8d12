"""Trials that another run has computed from the same recording, settings, calibration and decisions: taken over, and kept anew."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import scipy

from biomech_id._version import __version__
from biomech_id.errors import OutputError
from biomech_id.files.digest import digest
from biomech_id.files.inputs import sha256_of
from biomech_id.files.kept_values import KeptValues
from biomech_id.gait.review import Review
from biomech_id.movement.movement import Movement
from biomech_id.pipeline.stage.analysis import Analysis, TrialAnalysis
from biomech_id.pipeline.stage.trial import solve_again
from biomech_id.plugins import REGISTERING
from biomech_id.readers.c3d.read import read_c3d
from biomech_id.readers.formats import FORMATS
from biomech_id.request.intake import Reader
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.solved import Solved
from biomech_id.session.trial_tables import keep_tables, kept_tables, peaks, with_kept_bands
from biomech_id.trial import Trial

#: What of a trial its tables do not follow from, or what comes out of one file with what they do.
_BESIDE_TABLES = {
    "motion", "loads", "upper_loads", "as_recorded", "markers", "analog", "plates", "errors", "findings", "history",
    "quality", "gaps", "muscle_forces",
}  # fmt: skip
#: Of a walk, what is kept.
_KEPT = ("movement", "by_hand", "result", "mean_cycle_s")
#: Behind a trial's key: where its bands lie.
_BANDS = "-bands"


def versions() -> tuple[str, ...]:
    """Return what every value follows from: this package and the fields of its values, what computes, and the sources of plug-ins.

    A plug-in is a laboratory's own code, which changes without a version. One without sources, typed into an interpreter, counts as
    another one each time.
    """
    names = " ".join(each.name for kind in (Movement, Solved) for each in fields(kind))
    return (__version__, names, np.__version__, scipy.__version__, sys.version, *_sources(frozenset(REGISTERING)))


@cache
def _sources(modules: frozenset[str]) -> tuple[str, ...]:
    packages = {name.partition(".")[0] for name in modules}
    loaded = {name: module for name, module in sorted(sys.modules.items()) if name.partition(".")[0] in packages}
    files = (getattr(module, "__file__", None) for module in loaded.values())
    return tuple(sha256_of(Path(file)) if file else str(uuid4()) for file in files)


def kept_reader(kept: KeptValues | None, reader: Reader, *given: object) -> Reader:
    """Return a reader that reads no C3D file whose bytes another run has read under the same path.

    Parameters
    ----------
    kept : KeptValues | None
        Where recordings lie; None reads every file.
    reader : Reader
        Reads one file, and refuses what it cannot.
    given : object
        All else that a recording as read follows from.
    """
    if kept is None or FORMATS[".c3d"].read is not read_c3d:
        return reader
    memory = kept

    def read_once(path: Path) -> Trial:
        sha256 = ""
        if path.suffix.lower() == ".c3d":
            with suppress(OSError):
                sha256 = sha256_of(path)
        key = digest(memory.versions, "recording", sha256, path, given)
        known: Trial | None = memory.read(key) if sha256 else None
        trial = known or reader(path)
        if known is None and sha256 and trial.sha256 == sha256:  # nobody has written the file meanwhile
            with suppress(OutputError):
                memory.write(key, trial)
        return trial

    return read_once


def take_over(session: Analysis, job: Job) -> Analysis:
    """Take over the results of every trial that another run has kept for what this one is asked."""
    if session.reuse is None:
        return session
    models = {id(group.model): _hash(group.model, group.subject, group.static) for group in session.groups}
    walks = []
    for walk in session.walks:
        key = _key(walk, models[id(walk.model)], session.recipe)
        bands = session.reuse.later(key + _BANDS) if key else None
        kept = session.reuse.read(key) if bands else None
        walk = replace(walk, key=key)
        if kept is not None and bands is not None:
            result = with_kept_bands(kept["walk"]["result"], kept["tables"], bands)
            walk = replace(walk, kept=kept, **kept["walk"] | {"result": result})
        walks.append(walk)
    return replace(session, walks=tuple(walks))


def settle(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Solve a trial after all whose results were taken over, and depend on others that are not as they were."""
    if walk.kept is None or walk.kept["walk"]["mean_cycle_s"] == walk.mean_cycle_s:
        return walk
    return solve_again(replace(walk, kept=None, movement=None, result=None, by_hand=Review()), recipe)


def keep(analysis: Analysis) -> None:
    """Keep the results of all trials for the next run; to be called when the session's tables have been made.

    Parameters
    ----------
    analysis : Analysis
        Through all stages.
    """
    if analysis.reuse is None or analysis.session is None:
        return
    finished = {trial.name: trial for trial in analysis.session.movements}
    for walk in analysis.walks:
        if walk.key and walk.kept is None and walk.result is not None:
            entry, bands = _entry(walk, walk.result, finished[walk.result.name])
            analysis.reuse.write(walk.key + _BANDS, bands)
            analysis.reuse.write(walk.key, entry)
    analysis.reuse.tidy()


def with_tables(analysis: Analysis) -> Mapping[str, object]:
    """Give trials that were taken over the tables that were kept with them, where these follow from the same.

    Parameters
    ----------
    analysis : Analysis
        Through all stages.

    Returns
    -------
    Mapping[str, object]
        Trial -> what its tables follow from; without trials of which that is not known.
    """
    finished = {trial.name: trial for trial in analysis.session.movements} if analysis.session is not None else {}
    follow: dict[str, object] = {}
    for walk in analysis.walks:
        trial = finished.get(walk.trial.name)
        if walk.key and trial is not None and (made_of := _made_of(trial)):
            follow[trial.name] = (walk.key, walk.mean_cycle_s, made_of)
            if walk.kept is not None and walk.kept["made_of"] == made_of:
                keep_tables(trial, walk.kept["tables"])
            else:
                peaks(trial)  # which `keep` writes
    return follow


def _entry(walk: TrialAnalysis, result: Solved, finished: Solved) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """What is kept of a trial, and its bands."""
    tables, bands = kept_tables(finished)
    kept = {name: getattr(walk, name) for name in _KEPT}
    return {"walk": kept | {"result": replace(result, errors={})}, "tables": tables, "made_of": _made_of(finished)}, bands


def _made_of(trial: Solved) -> str:
    return _hash({each.name: getattr(trial, each.name) for each in fields(trial) if each.name not in _BESIDE_TABLES})


def _key(walk: TrialAnalysis, model: str, recipe: Recipe) -> str:
    decided = walk.review and walk.review.of_trial(walk.trial.name)
    decisions = {each.name: getattr(decided, each.name) for each in fields(Review) if each.name != "file"}
    given = (walk.condition, walk.extra, walk.carried, walk.worn, walk.static, walk.foot_models)
    return _hash(versions(), walk.trial, model, decisions, given, recipe) if model else ""


def _hash(*values: object) -> str:
    """The hash of some values; empty where one is no data."""
    try:
        return digest(*values)
    except TypeError:
        return ""
