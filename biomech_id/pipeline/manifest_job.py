"""The job that a manifest describes, on the files it was done with, wherever they are now."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from biomech_id.errors import MissingInputError
from biomech_id.files.settings import laid_over
from biomech_id.request.input_hashes import InputHashes, may_be_guessed, needs_key
from biomech_id.request.job import FILE_SETTINGS, SETTING_FILES, Job, sha256_of_input
from biomech_id.request.recipe import recipe_from_dict

#: Options of the canonical command without a value.
_FLAGS = ("--write-c3d", "--review-page")


#: What a manifest from before a setting existed was computed with.
_OF_OLD = {"filter": {"plate_cutoff_hz": "raw"}}


def job_from_manifest(manifest: Mapping[str, Any], folder: Path, *, also: Sequence[Path] = (), key: Path | None = None) -> Job:
    """Return the job a manifest describes, on the recordings in ``folder``.

    Parameters
    ----------
    manifest : Mapping[str, Any]
        As read from ``manifest.json``.
    folder : Path
        Folder with the recordings that the manifest lists.
    also : Sequence[Path], optional
        Files, and folders with files, that the results were made with and that do not lie there: a norm, a marker set.
    key : Path | None, optional
        The laboratory's key, where hashes of the manifest were made with one; without it these inputs are found by their names.

    Raises
    ------
    MissingInputError
        The folder, or a file that the command names, is not there.
    """
    if not folder.is_dir():
        raise MissingInputError(
            f"There is no folder {folder} with the recordings; name it with --input.",
            value=str(folder), expected="the folder with the recordings", where="--input",
        )  # fmt: skip
    refuse_in_memory(manifest)
    paths, named = _parsed(manifest["command"])
    code, inputs = named.get("--code", [None])[0], manifest["inputs"]
    # Results without such hashes come out the same without the key.
    key = key if any(map(needs_key, inputs.values())) else None
    hashes = InputHashes.of(code, key)

    def recording(name: str) -> Path:
        return find_input(name, inputs.get(name), folder, also, hashes)

    def one(word: str) -> Path | None:
        return recording(named[word][0]) if word in named else None

    # Of recordings in text that nothing can be compared with, those of the folder are meant.
    whole = paths == ["."] or not all(hashes.compares(inputs.get(name, "")) for name in paths)
    recipe = recipe_from_dict(laid_over(_OF_OLD, manifest["recipe"]), where="manifest.json")
    texts = {name: value for section in recipe.as_dict().values() for name, value in section.items() if name in FILE_SETTINGS}
    files = {name: value for name, value in texts.items() if str(value).lower().endswith(SETTING_FILES)}
    return Job(
        paths=(folder,) if whole else tuple(map(recording, paths)),
        recipe=recipe.replaced(**{name: str(recording(value)) for name, value in files.items()}),
        static=one("--static"),
        functional=tuple(map(recording, named.get("--functional", ()))),
        exclude=tuple(named.get("--exclude", ())),
        subject_file=one("--subject"),
        mass_kg=float(named["--mass"][0]) if "--mass" in named else None,
        norm=one("--norm"),
        code=code,
        review=one("--review"),
        key=key,
        remembered=manifest.get("memory"),
        recorded={name: entry for name, entry in inputs.items() if code and may_be_guessed(name)},
    )


def refuse_in_memory(manifest: Mapping[str, Any]) -> None:
    """Refuse results made with what no file holds.

    Parameters
    ----------
    manifest : Mapping[str, Any]
        As read from ``manifest.json``.

    Raises
    ------
    MissingInputError
        They were; the sentence names the functions, trials or forces.
    """
    given = manifest.get("in_memory", {})
    if given:
        functions = [f"the function {name} ({setting})" for setting, name in given.get("functions", {}).items()]
        trials = [f"trial {name} made in memory" for name in given.get("trials", {})]
        forces = [f"further forces on {name}" for name in given.get("extra", {})]
        needed = ", ".join((*functions, *trials, *forces))
        raise MissingInputError(
            f"These results were made in Python with {needed}; a command cannot make them again: run the script that did.",
            value=needed, expected="results made from files alone", where="manifest.json",
        )  # fmt: skip


def _parsed(command: str) -> tuple[list[str], dict[str, list[str]]]:
    """Take a canonical command apart: what it names, and the values of each option."""
    words = iter(shlex.split(command)[2:])
    paths: list[str] = []
    named: dict[str, list[str]] = {}
    for word in words:
        if word in _FLAGS:
            continue
        if word.startswith("--"):
            named.setdefault(word, []).append(next(words))
        else:
            paths.append(word)
    return paths, named


def find_input(name: str, entry: str | None, folder: Path, also: Sequence[Path], hashes: InputHashes | None = None) -> Path:
    """Find a file by its content, which may bear another name where a code has replaced a patient's, else by its name.

    Parameters
    ----------
    name : str
        As the manifest has it.
    entry : str | None
        What the manifest says of its content; None where nothing is known of it.
    folder : Path
        Where it is, or is to be.
    also : Sequence[Path]
        Further folders to look in.
    hashes : InputHashes | None, optional
        How the manifest tells contents; None for plain SHA-256.

    Raises
    ------
    MissingInputError
        There is neither.
    """
    hashes = hashes or InputHashes()
    candidates = (folder / name, *(place / name if place.is_dir() else place for place in also))
    named = [path for path in candidates if path.is_file() and path.name == Path(name).name]
    others = (
        path for place in (folder, *also) for path in (sorted(place.iterdir()) if place.is_dir() else [place]) if path.is_file()
    )
    for path in (*named, *others):
        if entry and hashes.fits(path, sha256_of_input(path), entry):
            return path
    if named:
        return named[0]
    by_name = entry and not hashes.compares(entry)
    if by_name:
        # Of P017_norm.csv the norm that lies in the results is meant.
        plain = [path for path in also if path.is_file() and f"{hashes.code}_{path.name}" == name]
        if plain:
            return plain[0]
    how = "if it lies elsewhere, name it with --also"
    if by_name:
        how = f"name {'the key with --key, or ' * needs_key(entry or '')}the file, called {name}, with --also"
    raise MissingInputError(
        f"{folder} does not hold {name}, which the results were made with; {how}.",
        value=name, expected=name, where=str(folder),
    )  # fmt: skip
