"""Where ``opensim-run`` writes what a setup names: below the folder that the user named, and never over what somebody else made.

A setup comes from anywhere, and says where its results are to go. Of that only folders below its own are followed, and of the names
of files the last part: ``../../.bashrc`` is nobody's result.

An output carries a line that tells whose it is: the hash of its own text and of the setup's place beside it. A file whose line fits
was written by this setup and has not been touched since; only that is replaced. A listing of outputs in a file of its own would be
lost where two setups run at once or a folder is copied in part, and would take a file for ours that somebody edited; nobody can put
a line that fits into somebody else's file without changing that file.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from biomech_id.errors import OutputError
from biomech_id.files.atomic import whole_file
from biomech_id.files.output_names import folder_below, is_plain, last_part, refuse_outside
from biomech_id.readers.opensim.storage import END_OF_HEADER

#: How the tool's files end.
ENDINGS = (".sto", ".mot", ".osim", ".xml")
_LINE = re.compile(r"^(?:<!-- )?written by biomech-id opensim-run ([0-9a-f]{64})(?: -->)?\n", re.MULTILINE)


class ToolOutputs:
    """The outputs of one run of a setup.

    Parameters
    ----------
    setup : Path
        The setup file; messages name it, and outputs carry a hash of its place.
    out : str | Path | None
        Folder for the outputs; None for where the setup says, as far as that is below its own folder.
    results : str, optional
        Folder that the setup names as its results_directory; "" for its own.
    beside : str, optional
        An output whose name is a path from the setup whatever its results_directory, as the motion of OpenSim's inverse kinematics;
        where ``out`` is None.

    Attributes
    ----------
    written : list[Path]
        Files, in the order written.
    remarks : list[str]
        One sentence for each output that is not where the setup says.

    Raises
    ------
    OutputError
        The folder is elsewhere by a link.
    """

    def __init__(self, setup: Path, out: str | Path | None, results: str = "", beside: str = "") -> None:
        self.setup, self.written, self.remarks = setup, list[Path](), list[str]()
        self._follows = out is None
        root = setup.parent if out is None else Path(out)
        below = folder_below(root, results) if self._follows else root
        self.folder = root if below is None else below
        named = folder_below(root, beside.replace("\\", "/").rpartition("/")[0]) if self._follows else None
        self._root, self._beside, self._beside_folder = root, beside, root if named is None else named
        for folder in {self.folder, self._beside_folder}:
            refuse_outside(root, folder)
        if below is None:
            self.remarks.append(
                f"The results_directory {results} is not below the folder of {setup.name}: what it writes is in {self.folder}; "
                "-o names another folder."
            )

    def expect(self, *names: str) -> None:
        """Refuse, before anything is computed, what could not be written.

        Parameters
        ----------
        *names : str
            Outputs as the setup names them; "" for none.

        Raises
        ------
        OutputError
            A name that no output can have, two outputs of one name, or a file that is there and is not of this setup.
        """
        asked: dict[str, str] = {}
        for name in filter(None, names):
            path = self._place(name)
            other = asked.setdefault(path.name.casefold(), name)
            if other != name:
                raise OutputError(
                    f"{self.setup.name} names the outputs {other} and {name}, which would both be {path}; give them other names.",
                    value=name, expected="names that differ", where=str(self.setup),
                )  # fmt: skip
            there = os.path.normpath((self._root if name == self._beside else self.folder) / name.replace("\\", "/"))
            if self._follows and there != os.path.normpath(path):
                self.remarks.append(f"The output {name} of {self.setup.name} is written as {path}; -o names another folder.")

    def write(self, name: str, write: Callable[..., Path], *content: Any, **how: Any) -> None:
        """Write one output, whole or not at all; nothing if the setup gives it no name.

        Parameters
        ----------
        name : str
            As the setup names it.
        write : Callable[..., Path]
            Writes the file at the path that it is given first.
        *content : Any
            What it is given after the path.
        **how : Any
            What it is given by name.

        Raises
        ------
        OutputError
            As for `expect`; or the operating system refuses.
        """
        if not name:
            return
        path = self._place(name)
        with whole_file(path) as part:
            write(part, *content, **how)
            text = part.read_text(encoding="utf-8")
            line = f"written by biomech-id opensim-run {self._hash(text, path)}\n"
            if text.startswith("<?xml"):
                text += f"<!-- {line[:-1]} -->\n"
            else:
                head, end, rows = text.partition(f"\n{END_OF_HEADER}\n")
                text = f"{head}\n{line}{end[1:]}{rows}"
            part.write_text(text, encoding="utf-8", newline="\n")
        self.written.append(path)

    def _folder_of(self, name: str) -> Path:
        return self._beside_folder if name and name == self._beside else self.folder

    def _place(self, name: str) -> Path:
        last = last_part(name)
        if not is_plain(last) or not last.lower().endswith(ENDINGS):
            raise OutputError(
                f"{self.setup.name} calls an output {name!r}, which is no name of a file that the tool writes; change it there.",
                value=name, expected=f"a name that ends in {', '.join(ENDINGS)}", where=str(self.setup),
            )  # fmt: skip
        path = self._folder_of(name) / last
        if os.path.lexists(path) and not self._is_own(path):
            raise OutputError(
                f"{path} is there already and is not what an earlier opensim-run of {self.setup.name} wrote, or was changed since: "
                "move it away, or name another folder with -o.",
                value=str(path), expected="no file of that name, or one of an earlier run of this setup", where=str(path),
            )  # fmt: skip
        return path

    def _is_own(self, path: Path) -> bool:
        if path.is_symlink() or not path.is_file():
            return False
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return False
        return any(line[1] == self._hash(text[: line.start()] + text[line.end() :], path) for line in _LINE.finditer(text))

    def _hash(self, text: str, path: Path) -> str:
        """Of an output and of the setup as it lies beside it, so that both may move together."""
        setup, folder = self.setup.resolve(), path.parent.resolve()
        try:
            beside = Path(os.path.relpath(setup, folder)).as_posix()
        except ValueError:  # another disk of Windows
            beside = setup.as_posix()
        return hashlib.sha256(f"{beside}\n{text}".encode()).hexdigest()
