"""How results tell what an input held: by its SHA-256, and under a code, where somebody typed it, by a hash that needs a key.

A text that a person typed has few possible contents: a ``subject.toml`` is a template with a name and a birth date, and who hashes
it for every name and every day of a century finds the one whose SHA-256 stands in the results. Under a code the hash of such a file
is therefore an HMAC with the laboratory's key, which lies beside its list of codes and never in the results; without a key there is
none. C3D files hold thousands of measured numbers in bytes that nobody can guess, and keep their SHA-256, by which they are found.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from pathlib import Path, PurePath

from biomech_id.errors import FileRefusedError, OptionError, OutputError, option
from biomech_id.files.atomic import write_problem
from biomech_id.files.text import read_problem, read_text
from biomech_id.session.output.manifest import UNVERIFIED
from biomech_id.values import dataclass, field

#: Before a hash made with the key.
KEYED = "hmac-sha256:"
#: Suffix of the key beside a list of codes: codes.csv, codes.key.
KEY_SUFFIX = ".key"
_KEY_BYTES = 32
_KEY = re.compile(rf"[0-9a-f]{{{2 * _KEY_BYTES}}}")


def may_be_guessed(name: str | PurePath) -> bool:
    """Whether somebody could fill a file's text with names until its hash fits: everything but C3D files.

    Of a recording in text the numbers may be known, from a hand-over to OpenSim say, and only the name in its first line not.

    Parameters
    ----------
    name : str | PurePath
        Name of the file, with or without its folder.

    Examples
    --------
    >>> from biomech_id.request.input_hashes import may_be_guessed
    >>> may_be_guessed("subject.toml"), may_be_guessed("walk01.C3D")
    (True, False)
    """
    return PurePath(name).suffix.lower() != ".c3d"


def needs_key(entry: str) -> bool:
    """Whether what results say of an input's content was made with a key.

    Parameters
    ----------
    entry : str
        As `InputHashes.entry` has it.
    """
    return entry.startswith(KEYED)


@dataclass(frozen=True)
class InputHashes:
    """How hashes of inputs are told.

    Attributes
    ----------
    code : str, optional
        What stands in place of the subject's name; empty for none: every hash is then told as it is.
    secret : bytes, optional
        The laboratory's key; empty for none.
    every : bool, optional
        Whether that of a C3D file needs the key as well, as in results that leave the house.
    """

    code: str = ""
    secret: bytes = field(default=b"", repr=False)
    every: bool = False

    @classmethod
    def of(cls, code: str | None, key: Path | None) -> InputHashes:
        """Return how hashes are told under a code and with the key that a file holds.

        Parameters
        ----------
        code : str | None
            The code, None for none.
        key : Path | None
            File of the key, None for none.

        Raises
        ------
        FileRefusedError
            It holds no key.
        """
        return cls(code or "", read_key(key) if code and key else b"")

    def entry(self, name: str | PurePath, sha256: str) -> str:
        """Return what the results say of an input's content.

        Parameters
        ----------
        name : str | PurePath
            Name of the file, with or without its folder.
        sha256 : str
            Hash of the file's content, hexadecimal.
        """
        if not self.code or not (self.every or may_be_guessed(name)):
            return sha256
        if not self.secret:
            return UNVERIFIED
        # With the code in it, one person's file under two codes has two hashes.
        return KEYED + keyed(self.secret, self.code, sha256).hex()

    def compares(self, entry: str) -> bool:
        """Whether it can be known if a file's content is the one that results tell of.

        Parameters
        ----------
        entry : str
            What the results say.
        """
        return entry != UNVERIFIED and (bool(self.secret) or not needs_key(entry))

    def fits(self, name: str | PurePath, sha256: str, entry: str) -> bool:
        """Whether a file's content is the one that results tell of.

        Parameters
        ----------
        name : str | PurePath
            Name of the file, with or without its folder.
        sha256 : str
            Hash of the file's content, hexadecimal.
        entry : str
            What the results say.
        """
        return self.compares(entry) and entry in (sha256, self.entry(name, sha256))


def keyed(secret: bytes, what: str, text: str) -> bytes:
    """Return the HMAC-SHA256 of a text by the laboratory's key: 32 bytes that say nothing to who has no key.

    Parameters
    ----------
    secret : bytes
        The key.
    what : str
        What the text is: one text has another hash as each thing that it is.
    text : str
        What is hashed, behind ``what`` and a line feed.

    Returns
    -------
    bytes
        32 of them.
    """
    return hmac.digest(secret, f"{what}\n{text}".encode(), "sha256")


def read_key(path: Path) -> bytes:
    """Return the key that a file holds, as `make_key` wrote it.

    Parameters
    ----------
    path : Path
        The file with the key.

    Raises
    ------
    FileRefusedError
        It cannot be read, or holds no key.
    """
    try:
        text = read_text(path).strip()
    except (OSError, UnicodeDecodeError) as error:
        words = f"The key {path} cannot be read: {read_problem(error)}."
        raise FileRefusedError.at(path, words, "a key that biomech-id wrote") from error
    if not _KEY.fullmatch(text):
        words = f"{path} holds no key: that is {2 * _KEY_BYTES} digits 0-9 a-f, and there are {len(text)} characters."
        raise FileRefusedError.at(path, words, "a key that biomech-id wrote")
    return bytes.fromhex(text)


def key_beside(codes: Path) -> Path:
    """Return where the key of a list of codes lies: beside it, ``codes.key`` for ``codes.csv``.

    Parameters
    ----------
    codes : Path
        The list of codes that the key lies beside.
    """
    return codes.with_suffix(KEY_SUFFIX)


def make_key(path: Path | None, *, coded: bool, out: Path | None = None) -> None:
    """Write a new key, which its owner alone can read, where there is no file yet; one that is there must hold a key.

    Parameters
    ----------
    path : Path | None
        The file that the user named; None for no key.
    coded : bool
        Whether a code stands in place of names.
    out : Path | None, optional
        Folder of the results, in which no key may lie.

    Raises
    ------
    OptionError
        There is no code that a key could be of, or the key would lie in the results.
    OutputError
        It cannot be written.
    FileRefusedError
        The file holds no key.
    """
    if path is None:
        return
    if not coded:
        raise OptionError(
            f"{option('key')} names {path}, and without a code there is nothing that a key protects.",
            value=str(path), expected=f"{option('code')} too, or no {option('key')}", where=option("key"),
        )  # fmt: skip
    if out is not None and path.resolve().is_relative_to(out.resolve()):
        raise OptionError(
            f"The key {path} would lie in the results {out}, whose readers could then undo the hashes; name another place with "
            f"{option('key')}.",
            value=str(path), expected="a place outside the results", where=option("key"),
        )  # fmt: skip
    if not path.exists():
        _write_key(path)
    read_key(path)


def _write_key(path: Path) -> None:
    """Nobody's key is ever replaced: where another process made the file first, its key is the one."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    except OSError as error:
        raise _not_written(path, error) from error
    try:
        with open(opened, "w", encoding="ascii", newline="\n") as file:
            file.write(secrets.token_hex(_KEY_BYTES) + "\n")
    except OSError as error:
        # A full disk: an empty file would be in the way of the next key.
        path.unlink(missing_ok=True)
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError) -> OutputError:
    words = f"The key {path} cannot be written: {write_problem(error)}; name another place with {option('key')}."
    return OutputError(words, value=str(error), expected="a place that can be written", where=option("key"))
