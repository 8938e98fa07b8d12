"""Marker names permuted through a marker set: whole runs whose every table is the same to the byte, labels mapped back.

``python -m benchmarks.studies.renamed_markers [N] [SUBJECT_DIR]`` renames the markers of a session (by default the virtual
subject's) N times (200), writes a marker set that says what each of them lies on now, runs the main job and compares every file it
wrote with those of the recordings as they were. Every other time the force plates are taken out of the recordings first, and events
are found from markers. Names are drawn from everything that shipped marker sets call a marker, so that a wand is called heel and
the left side right. The table lies beside this module.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from benchmarks.before import ROOT
from biomech_id import __version__
from biomech_id.conventions import SIDES
from biomech_id.exports.c3d.records import RecordList
from biomech_id.markersets import MARKER_SETS, MarkerSet, detect, load_markerset
from biomech_id.models.oxford_foot.inputs import OWN
from biomech_id.pipeline.run import run_job
from biomech_id.readers import read_recording
from biomech_id.readers.c3d.file import open_c3d
from biomech_id.readers.source import read_source
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe

SEED = 20260101
BLOCK = 512
#: Long tables that name no marker.
UNNAMED = ("trials/", "cycles", "uncertainty", "budget", "peaks")
#: The setting itself, which the summary repeats.
SETTING = re.compile(r'\n *"marker_set": "(auto|ours.toml)",')
TABLE = Path(__file__).with_suffix(".md")
#: The reader takes these for points that other software computed, whatever a set says.
_COMPUTED = re.compile(r"[LR](HJC|KJC|AJC)")


@cache
def known_labels() -> tuple[str, ...]:
    """Every label of every shipped set, for the left and the right; of spellings that a session takes for one, one."""
    labels = {label for name in MARKER_SETS for label in (*load_markerset(name).roles.values(), *load_markerset(name).labels)}
    spelt = {re.sub(r"[^a-z0-9]", "", label.lower()): label for label in sorted(labels)}
    return tuple(sorted(label for label in spelt.values() if not _COMPUTED.fullmatch(label)))


def renaming(labels: tuple[str, ...], rng: np.random.Generator) -> dict[str, str]:
    """Label -> another one: permuted among themselves, drawn from what sets call other markers, or new altogether."""
    kind = rng.integers(3)
    invented = [f"{a}{b}{i}" for i, (a, b) in enumerate(rng.choice(list("BDGJQVWXYZ"), (len(labels), 2)))]
    pool = [
        list(labels),
        sorted({*known_labels(), *labels, *invented[: len(labels) // 4]}),
        [*labels[: len(labels) // 2], *invented],
    ]
    return dict(zip(labels, map(str, rng.permutation(pool[kind])), strict=False))


def as_toml(markerset: MarkerSet, names: Mapping[str, str]) -> str:
    """The set under other names; labels of it that the recordings do not have are none of theirs under any name."""
    absent = {label for label in (*markerset.roles.values(), *markerset.labels) if label not in names}
    names = {**names, **{label: f"absent {label}" for label in absent}}

    def text(value: object) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key} = {text(item)}" for key, item in value.items()) + "}"
        return json.dumps(names[value] if isinstance(value, str) else [names[label] for label in value])

    def lines(entries: Mapping[tuple[str, str], object]) -> Iterator[str]:
        for name in dict.fromkeys(name for _, name in entries):
            sided = {side: entries[side, name] for side in ("L", "R") if (side, name) in entries}
            yield f"{name} = {text(sided or entries['', name])}"

    parts = {"landmarks": markerset.landmarks, "extra_landmarks": markerset.extra_landmarks, "tracking": markerset.tracking}
    body = "\n".join(f"[{part}]\n" + "\n".join(lines(entries)) for part, entries in parts.items())
    return f'title = "renamed"\n{body}\n[markers]\noptional = {text(sorted(markerset.optional))}\n'


def rewritten(path: Path, names: Mapping[str, str], *, plates: bool) -> bytes:
    """The bytes of a C3D file with its markers renamed, and without its plates if they are not wanted."""
    file = open_c3d(read_source(path))
    records = RecordList(file.parameters, file.source.data)
    stored = [label.decode("latin-1") for label in records.texts("POINT", "LABELS")]
    prefix = {label: label.rpartition(":")[0] + ":" * (":" in label) for label in stored}
    renamed = [prefix[label] + names.get(label[len(prefix[label]) :], label[len(prefix[label]) :]) for label in stored]
    records.set_texts("POINT", "LABELS", [label.encode("latin-1") for label in renamed])
    if not plates and file.parameters.find("FORCE_PLATFORM", "USED"):
        records.set_numbers("FORCE_PLATFORM", "USED", 2, [], records.processor.pack_words([0]))
    section = records.section(where=path.name)
    start, data = file.parameters.start, file.source.data
    block = records.processor.pack_words([(start + len(section)) // BLOCK + 1])
    if file.parameters.find("POINT", "DATA_START"):
        records.set_numbers("POINT", "DATA_START", 2, [], block)
        section = records.section(where=path.name)
    return data[:16] + block + data[18:start] + section + data[file.layout.start :]


def restored(text: str, names: Mapping[str, str]) -> str:
    """A written table with the labels as they were."""
    if not names:
        return text
    back = {new: old for old, new in names.items()}
    pattern = "|".join(sorted(map(re.escape, back), key=len, reverse=True))
    return re.sub(rf"(?<![\w*])({pattern})(?!\w)", lambda found: back[found[1]], text)


def without(told: object, rule: str) -> object:
    """What JSON holds without the findings of a rule."""
    if isinstance(told, Mapping):
        return {name: without(each, rule) for name, each in told.items()}
    if isinstance(told, list):
        return [without(each, rule) for each in told if not (isinstance(each, Mapping) and each.get("rule") == rule)]
    return told


def as_text(path: Path) -> str:
    """A written file; of arrays, names in words and numbers as their digest; without what is said of the names themselves."""
    if path.name == "summary.json":
        return json.dumps(without(json.loads(path.read_text(encoding="utf-8")), "names-doubtful"), indent=1)
    if path.suffix != ".npz":
        return path.read_text(encoding="utf-8")
    with np.load(path) as arrays:
        told = {
            name: array.tolist() if array.dtype.kind == "U" else sha256(array.tobytes()).hexdigest()
            for name, array in arrays.items()
        }
    return "\n".join(f"{name} {value}" for name, value in told.items())


def results(folder: Path, names: Mapping[str, str], recipe: Recipe, out: Path) -> dict[str, str]:
    """File -> text of everything a run of a folder writes but the manifest, which names the inputs."""
    run_job(Job((folder,), recipe=recipe), out)
    written = {path.relative_to(out).as_posix(): path for path in sorted(out.rglob("*")) if path.is_file()}
    del written["manifest.json"]
    texts = {name: SETTING.sub("", as_text(path)) for name, path in written.items()}
    return {name: text if name.startswith(UNNAMED) else restored(text, names) for name, text in texts.items()}


class Session:
    """Recordings of one subject, to be run under any names with and without their plates."""

    def __init__(self, files: tuple[Path, ...], recipe: Recipe, place: Path) -> None:
        self.place = place
        self.recipe = recipe.replaced(report=False)
        # A foot model is known by its labels alone, which no marker set gives other names: nobody wears one here.
        unworn = {side + name: f"on foot {side} {name}" for side in SIDES for name in OWN}
        self.files = tuple(place / path.name for path in files)
        for path, copy in zip(files, self.files, strict=True):
            copy.write_bytes(rewritten(path, unworn, plates=True))
        markers = [read_recording(path, trust=True).trial.markers.names for path in self.files]
        self.labels = tuple(dict.fromkeys(name for names in markers for name in names if not name.startswith("*")))
        self.markerset = detect(self.labels, model=recipe.model).markerset
        self._before: dict[bool, dict[str, str]] = {}

    def run(self, names: Mapping[str, str], *, plates: bool) -> dict[str, str]:
        """Everything a run writes, under the names as they were; without other names it is told no marker set."""
        folder = Path(tempfile.mkdtemp(dir=self.place))
        for path in self.files:
            (folder / path.name).write_bytes(rewritten(path, names, plates=plates))
        recipe = self.recipe if plates else self.recipe.replaced(event_source="markers")
        if names or recipe.model == "six-dof":
            said = names or {label: label for label in self.labels}
            (folder / "ours.toml").write_text(as_toml(self.markerset, said), encoding="utf-8")
            recipe = recipe.replaced(marker_set=str(folder / "ours.toml"))
        return results(folder, names, recipe, folder / "out")

    def differences(self, names: Mapping[str, str], *, plates: bool) -> list[str]:
        """Files that are not the same to the byte under other names, each with the first line that differs."""
        if plates not in self._before:
            self._before[plates] = self.run({}, plates=plates)
        before, after = self._before[plates], self.run(names, plates=plates)
        if before.keys() != after.keys():
            return sorted(before.keys() ^ after.keys())
        pairs = ((name, before[name].splitlines(), after[name].splitlines()) for name in before if before[name] != after[name])
        return [
            f"{name}: " + next((f"{a!r} -> {b!r}" for a, b in zip(old, new, strict=False) if a != b), "length")
            for name, old, new in pairs
        ]


def main(n: int = 200, folder: Path = ROOT / "data") -> int:
    """Write the table and return how many renamings changed anything."""
    files = tuple(sorted(folder.glob("*.c3d")))
    rows = []
    for model in ("conventional", "six-dof"):
        rng = np.random.default_rng(SEED)
        with tempfile.TemporaryDirectory() as place:
            session = Session(files, Recipe(model=model), Path(place))
            found = []
            for number in range(n):
                plates = number % 2 == 0
                found.append((plates, session.differences(renaming(session.labels, rng), plates=plates)))
        for plates in (True, False):
            changed = [lines for kind, lines in found if kind is plates]
            rows.append((model, "with" if plates else "without", len(changed), sum(map(bool, changed))))
    lines = [
        f"biomech_id {__version__}, {folder.name}, {len(files)} recordings, seed {SEED}", "",
        "| model | plates | renamings | runs in which a byte of any table differs |", "|---|---|---|---|",
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sum(row[-1] for row in rows)


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:2]), *map(Path, sys.argv[2:3]))))
