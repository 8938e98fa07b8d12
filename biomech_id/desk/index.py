"""What is worked out once and may be deleted at will: looks, by the state of files and choices, in a file of the user's cache."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import threading
from pathlib import Path
from typing import Any


def cache_folder() -> Path:
    """Return the folder for what may be deleted at will, where this system keeps it."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "biomech_id"
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "biomech_id"


class LookCache:
    """Texts by key in an SQLite file; a damaged one is begun anew.

    Parameters
    ----------
    archive : Path
        Whose looks they are.
    folder : Path | None, optional
        Where the file lies; None for the user's cache.
    """

    def __init__(self, archive: Path, folder: Path | None = None) -> None:
        folder = folder or cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{hashlib.sha256(os.fsencode(archive.resolve())).hexdigest()[:16]}.sqlite"
        self._lock = threading.Lock()
        self._open()

    def _open(self) -> None:
        try:
            self._connect()
        except sqlite3.DatabaseError:
            self.path.unlink(missing_ok=True)
            self._connect()

    def _connect(self) -> None:
        self._database = sqlite3.connect(self.path, check_same_thread=False)
        self._database.execute("create table if not exists look (visit text primary key, key text, said text)")
        self._database.commit()

    def get(self, visit: str, key: str) -> dict[str, Any] | None:
        """Return what was said of a visit in this state.

        Parameters
        ----------
        visit : str
            Its identifier.
        key : str
            Hash of files and choices.
        """
        with self._lock:
            row = self._database.execute("select said from look where visit = ? and key = ?", (visit, key)).fetchone()
        return json.loads(row[0]) if row else None

    def put(self, visit: str, key: str, said: dict[str, Any]) -> None:
        """Keep what was said of a visit.

        Parameters
        ----------
        visit : str
            Its identifier.
        key : str
            Hash of files and choices.
        said : dict[str, Any]
            As of `look.read_look`.
        """
        with self._lock:
            self._database.execute("insert or replace into look values (?, ?, ?)", (visit, key, json.dumps(said)))
            self._database.commit()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()
