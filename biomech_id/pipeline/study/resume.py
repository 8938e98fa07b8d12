"""Is an earlier result still what this run would give? Decided by content, never by file times."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biomech_id.errors import BiomechError
from biomech_id.files.json_text import read_json
from biomech_id.pipeline.review_page import REVIEW_PAGE
from biomech_id.request.input_hashes import may_be_guessed
from biomech_id.request.job import Job, sha256_of_input
from biomech_id.session.folder.read_write import damaged_outputs
from biomech_id.session.output.manifest import UNVERIFIED, build_manifest


def still_valid(job: Job, out: Path) -> tuple[int, tuple[str, ...]] | None:
    """Return number of trials and complaints of the result in ``out`` if it is whole and would come out the same again, else None.

    It would when inputs, recipe, command, this package and the packages it computes with are the same, and every output still
    has the hash its manifest holds.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    out : Path
        Folder of the results.
    """
    try:
        manifest = read_json(out / "manifest.json")
        asked = {"report.pdf": job.recipe.report, REVIEW_PAGE: job.recipe.review_page}
        # One that could not be drawn is tried again, and complained about again.
        missing = [name for name, wanted in asked.items() if wanted and name not in manifest["outputs"]]
        if missing or unverified(job, manifest) or differences(job, manifest) or damaged_outputs(out):
            return None
        summary = read_json(out / "summary.json")
        # What was gone before it could be read stands in no manifest.
        if any(finding["rule"] == "input-changed" for finding in summary["findings"]):
            return None
        return len(summary["trials"]), tuple(summary["complaints"])
    except (BiomechError, KeyError, OSError):
        # Whatever is wrong with the old result, computing it again puts it right.
        return None


def differences(job: Job, manifest: dict[str, Any]) -> list[str]:
    """Say in words what differs between a job and the one a manifest describes: input, setting, command or version.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    manifest : dict[str, Any]
        Of the earlier result.
    """
    # Where a code replaced a patient's name, the manifest knows a file by another name and the same content.
    known = {entry: name for name, entry in manifest["inputs"].items() if entry != UNVERIFIED} if job.code else {}
    entries, uncompared = job.inputs(), unverified(job, manifest)
    inputs = {known.get(entry, name): entry for name, entry in entries.items() if entry != UNVERIFIED}
    settings, hashes = job.settings(), job.hashes
    for name, path in job.setting_files.items() if job.code else ():
        section = next(section for section, values in settings.items() if name in values)
        entry = hashes.entry(path, sha256_of_input(path))
        settings[section][name] = known.get(entry, f"{job.code}_{name}{path.suffix.lower()}")
    now = build_manifest(command=job.command(), recipe=settings, inputs=inputs)
    sentences = compared(
        "input", {name: entry for name, entry in manifest["inputs"].items() if name not in uncompared}, now["inputs"]
    )
    if len(entries) - len(inputs) != len(uncompared):
        sentences.append(f"inputs that cannot be compared without a key: were {len(uncompared)}, are {len(entries) - len(inputs)}")
    for section in sorted({*manifest["recipe"], *now["recipe"]}):
        sentences += compared(f"setting [{section}]", manifest["recipe"].get(section, {}), now["recipe"].get(section, {}))
    versions = {"biomech-id": "version", "python": "python"}
    sentences += compared(
        "version of",
        {**manifest["dependencies"], **{name: manifest[key] for name, key in versions.items()}},
        {**now["dependencies"], **{name: now[key] for name, key in versions.items()}},
    )
    if manifest["command"] != now["command"] and not job.code:
        sentences.append(f"command: was `{manifest['command']}`, is `{now['command']}`")
    return sentences


def unverified(job: Job, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the inputs of a manifest that may have changed unseen: all but C3D files, where under a code there is no key.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    manifest : Mapping[str, Any]
        Of the earlier result.
    """
    return tuple(name for name in manifest["inputs"] if job.code and job.key is None and may_be_guessed(name))


def compared(what: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Say in words which entries of two mappings differ.

    Parameters
    ----------
    what : str
        Word for the entries.
    then, now : Mapping[str, Any]
        Entries of the manifest and of the job.
    """
    lines = []
    for name in sorted({*then, *now}):
        if name not in now:
            lines.append(f"{what} {name}: missing now")
        elif name not in then:
            lines.append(f"{what} {name}: new")
        elif then[name] != now[name]:
            short = [str(value)[:16] for value in (then[name], now[name])]
            lines.append(f"{what} {name}: was {short[0]}, is {short[1]}")
    return lines
