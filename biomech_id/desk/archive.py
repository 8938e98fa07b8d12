"""The archive: which folders hold recordings, and what changed since somebody looked."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from biomech_id.readers.formats import recordings_among
from biomech_id.values import dataclass, field

#: Suffixes of films that lie beside recordings -> what they are served as, whatever they hold.
FILMS = {
    ".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/quicktime", ".webm": "video/webm", ".avi": "video/x-msvideo",
    ".mkv": "video/x-matroska",
}  # fmt: skip
#: Of how many visits the files are looked at every time: software may write a recording again in place.
NEWEST = 50
#: Name, size (bytes) and time of change (ns) of a file.
StateOfFile = tuple[str, int, int]


@dataclass(frozen=True)
class ArchiveVisit:
    """One folder that holds recordings.

    Attributes
    ----------
    path : str
        Below the archive, with forward slashes.
    folder : Path
        Folder that holds the visit's recordings.
    files : tuple[StateOfFile, ...]
        Its recordings, by name.
    films : tuple[str, ...]
        Names of films beside them; what is a link is none.
    beside : tuple[StateOfFile, ...]
        Files that a run also reads: ``subject.toml``, ``review.toml``, ``examination.csv``.
    """

    path: str
    folder: Path
    files: tuple[StateOfFile, ...]
    films: tuple[str, ...] = ()
    beside: tuple[StateOfFile, ...] = ()

    @cached_property
    def id(self) -> str:
        """Sixteen hexadecimal digits that stay the same as long as its path does."""
        return hashlib.sha256(os.fsencode(self.path)).hexdigest()[:16]

    @cached_property
    def state(self) -> str:
        """Changes when a file does."""
        return hashlib.sha256(json.dumps([self.files, self.beside]).encode()).hexdigest()[:16]

    @cached_property
    def newest_ns(self) -> int:
        """When the newest recording was written."""
        return max((changed for _, _, changed in self.files), default=0)

    @property
    def patient(self) -> str:
        """Name of the folder above it, its own where it lies in the archive itself."""
        above = self.path.rpartition("/")[0]
        return above.rpartition("/")[2] or self.name

    @property
    def name(self) -> str:
        """Name of its folder."""
        return self.path.rpartition("/")[2]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its recordings."""
        return tuple(name for name, _, _ in self.files)


@dataclass(frozen=True)
class _Listed:
    """One folder as it was listed: when it changed, the folders in it, and its visit."""

    changed_ns: int
    folders: tuple[str, ...]
    visit: ArchiveVisit | None


_BESIDE = ("subject.toml", "review.toml", "examination.csv")


@dataclass
class Archive:
    """An archive's visits, kept up to date by looking again.

    Attributes
    ----------
    root : Path
        Folder of patients and visits; links in it are not entered.
    """

    root: Path
    visits: dict[str, ArchiveVisit] = field(default_factory=dict)
    _listed: dict[str, _Listed] = field(default_factory=dict)

    def refresh(self, *, thorough: bool = False) -> set[str]:
        """Look again, and return the identifiers of visits that came, went or changed.

        Parameters
        ----------
        thorough : bool, optional
            Whether every file is looked at; otherwise folders that changed, and the files of the newest visits.
        """
        before = self.visits
        always = set[str]() if thorough else {visit.path for visit in self.newest(NEWEST)}
        listed = dict(self._walk(thorough, always))
        if not listed and self._listed:
            return set()  # the disk went away: what was known stays until it is back
        self._listed = listed
        self.visits = {each.visit.id: each.visit for each in listed.values() if each.visit is not None}
        return {name for name in before.keys() | self.visits.keys() if before.get(name) != self.visits.get(name)}

    def newest(self, most: int | None = None) -> list[ArchiveVisit]:
        """Return visits, the newest first.

        Parameters
        ----------
        most : int | None, optional
            How many; None for all.
        """
        return sorted(self.visits.values(), key=lambda visit: (-visit.newest_ns, visit.path))[:most]

    def _walk(self, thorough: bool, always: set[str]) -> Iterator[tuple[str, _Listed]]:
        waiting = [""]
        while waiting:
            path = waiting.pop()
            folder = self.root / path if path else self.root
            try:
                changed_ns = os.stat(folder).st_mtime_ns
                known = self._listed.get(path)
                if known is None or thorough or known.changed_ns != changed_ns or path in always:
                    known = _list(folder, path, changed_ns)
            except OSError:
                continue
            yield path, known
            waiting += [f"{path}/{name}" if path else name for name in known.folders]


def _list(folder: Path, path: str, changed_ns: int) -> _Listed:
    folders, files, links = list[str](), dict[str, StateOfFile](), set[str]()
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            elif entry.is_file():
                status = entry.stat()
                files[entry.name] = (entry.name, status.st_size, status.st_mtime_ns)
                if entry.is_symlink():
                    links.add(entry.name)
    # C3D comes first of all formats; only a folder without one is asked which other it holds.
    recordings = sorted(name for name in files if name.lower().endswith(".c3d"))
    recordings = recordings or sorted(each.name for each in recordings_among(folder / name for name in files))
    visit = None
    if recordings and path:
        films = tuple(sorted(name for name in files if Path(name).suffix.lower() in FILMS and name not in links))
        beside = tuple(files[name] for name in _BESIDE if name in files)
        visit = ArchiveVisit(path, folder, tuple(files[name] for name in recordings), films, beside)
    return _Listed(changed_ns, tuple(sorted(folders)), visit)
