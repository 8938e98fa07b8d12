"""Results of a visit: what a run left, when they are taken over, and how far the visit is. By hashes, never by clocks."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from biomech_id.desk.archive import ArchiveVisit
from biomech_id.desk.command import decided_hash
from biomech_id.desk.look import LAYERS
from biomech_id.desk.record import VisitRecord, document_toml, now_text, read_toml, revision_of, write_text_whole
from biomech_id.errors import BiomechError
from biomech_id.files.inputs import sha256_of
from biomech_id.files.json_text import read_json
from biomech_id.movement.grades import Grade, together
from biomech_id.session.folder.read_write import damaged_outputs
from biomech_id.values import dataclass, field

MANIFEST = "manifest.json"
#: A run under way: its process, and what it was asked.
UNDER_WAY = "job.toml"
#: The run whose results stand.
DONE_RUN = "ran.toml"


@dataclass
class Hashes:
    """SHA-256 of recordings, each computed once as long as its size and time stay."""

    known: dict[tuple[str, int, int], str] = field(default_factory=dict)

    def of(self, visit: ArchiveVisit) -> dict[str, str]:
        """Return the hash of each recording by its name.

        Parameters
        ----------
        visit : ArchiveVisit
            Whose recordings.
        """
        hashes = {}
        for name, size, changed_ns in visit.files:
            key = (f"{visit.path}/{name}", size, changed_ns)
            if key not in self.known:
                self.known[key] = sha256_of(visit.folder / name)
            hashes[name] = self.known[key]
        return hashes


@dataclass(frozen=True)
class Results:
    """Folder of a visit's results, and those before and after them.

    Attributes
    ----------
    record : VisitRecord
        Of the visit.
    """

    record: VisitRecord

    @property
    def folder(self) -> Path:
        """The results that stand."""
        return self.record.folder / "results"

    @property
    def before(self) -> Path:
        """Those of the run before."""
        return self.record.folder / "results.before"

    @property
    def coming(self) -> Path:
        """Those of the run under way."""
        return self.record.folder / "results.next"

    @property
    def there(self) -> bool:
        """Whether there are results."""
        return (self.folder / MANIFEST).is_file()

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the results that stand."""
        return dict(read_json(self.folder / MANIFEST))

    @property
    def summary(self) -> dict[str, Any]:
        """``summary.json`` of the results that stand."""
        return dict(read_json(self.folder / "summary.json"))

    def begin(self, visit: ArchiveVisit) -> None:
        """Note what a run is asked, before it begins.

        Parameters
        ----------
        visit : ArchiveVisit
            As it is now.
        """
        shutil.rmtree(self.coming, ignore_errors=True)
        noted = {"began": now_text(), "decided": decided_hash(self.record), "state": visit.state, "process": 0}
        write_text_whole(self.record.folder / UNDER_WAY, document_toml(noted))

    def note_process(self, process: int) -> None:
        """Note which process a run is, so that a desk that is opened again finds it.

        Parameters
        ----------
        process : int
            Its number.
        """
        path = self.record.folder / UNDER_WAY
        if not path.is_file():
            return  # cancelled meanwhile: it must not begin again
        write_text_whole(path, document_toml({**read_toml(path), "process": process, "started": process_start(process)}))

    def take_over(self) -> bool:
        """Put the results of a run that is over in place of the old ones, and return whether they were whole.

        Killed at any moment, the next opening goes on where this was: first it is noted whose results will stand, then folders get
        their names.
        """
        noted = read_toml(self.record.folder / UNDER_WAY)
        whole = is_whole(self.coming)
        if whole:
            manifest = revision_of(self.coming / MANIFEST)
            kept = {key: noted.get(key, "") for key in ("decided", "state", "began")}
            write_text_whole(self.record.folder / DONE_RUN, document_toml({**kept, "manifest": manifest}))
            if self.folder.exists():
                shutil.rmtree(self.before, ignore_errors=True)
                os.replace(self.folder, self.before)
            os.replace(self.coming, self.folder)
        shutil.rmtree(self.coming, ignore_errors=True)
        with suppress(FileNotFoundError):
            (self.record.folder / UNDER_WAY).unlink()
        return whole

    def give_up(self) -> None:
        """Forget a run that left nothing."""
        shutil.rmtree(self.coming, ignore_errors=True)
        (self.record.folder / UNDER_WAY).unlink(missing_ok=True)

    @property
    def under_way(self) -> int:
        """Process of a run that a desk before this one started and that still lives; 0 for none."""
        noted = read_toml(self.record.folder / UNDER_WAY)
        process = int(noted.get("process", 0))
        return process if process and noted.get("started") == process_start(process) != "" else 0

    def changed_since(self, visit: ArchiveVisit, hashes: Hashes) -> bool:
        """Whether decisions, recordings or outputs are not those of the run that made the results.

        Parameters
        ----------
        visit : ArchiveVisit
            As it is now.
        hashes : Hashes
            Of recordings.
        """
        ran = read_toml(self.record.folder / DONE_RUN)
        if ran.get("decided") != decided_hash(self.record) or ran.get("manifest") != revision_of(self.folder / MANIFEST):
            return True
        return ran.get("state") != visit.state and self.inputs_differ(visit, hashes)

    def inputs_differ(self, visit: ArchiveVisit, hashes: Hashes) -> bool:
        """Whether a recording was changed, added or taken away since the run.

        Parameters
        ----------
        visit : ArchiveVisit
            As it is now.
        hashes : Hashes
            Of recordings.
        """
        manifest, now = self.manifest["inputs"], hashes.of(visit)
        out = set(self.record.choices.get("exclude", ()))
        return {name: sha for name, sha in now.items() if name not in out} != {
            name: sha for name, sha in manifest.items() if name in visit.names or Path(name).suffix not in (".toml", ".csv")
        }

    def grades(self) -> dict[str, str]:
        """Return a grade a layer, as the run found it."""
        verdicts = self.summary.get("verdicts", {})
        return {
            layer: str(together(Grade(each["verdict"]) for each in verdicts[layer].values())) if layer in verdicts else "not judged"
            for layer in LAYERS
        }

    def cycles(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return how many cycles of each side count, and how many of them with kinetics."""
        verdicts = self.summary.get("verdicts", {})
        counted = ({side: each["cycles"] for side, each in verdicts.get(layer, {}).items()} for layer in ("kinematics", "kinetics"))
        kinematics, kinetics = counted
        return kinematics, kinetics


def is_whole(folder: Path) -> bool:
    """Return whether a folder of results has a manifest and all outputs that it names, as it names them.

    Parameters
    ----------
    folder : Path
        Of the results.
    """
    try:
        return (folder / MANIFEST).is_file() and not damaged_outputs(folder)
    except (BiomechError, OSError, ValueError):
        return False


def process_start(process: int) -> str:
    """Return when a process began, as the system counts it; "" where it is over or nothing is known of it.

    Parameters
    ----------
    process : int
        Its number.
    """
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if status[0] == "Z" else status[19]
