"""A normal band from finished results."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from biomech_id._version import __version__
from biomech_id.conventions import MUSCLE_VARIABLES, UPPER_VARIABLES
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.files.atomic import check_writable
from biomech_id.norms.from_sessions import ASKED_FOR, norm_from_sessions
from biomech_id.norms.imported import norm_of_others
from biomech_id.pipeline.study.tables import session_folders
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.means import WALKING
from biomech_id.session.tables.omissions import Omission
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.fingerprint import fingerprint_of, without_fingerprint
from biomech_id.session.values.norm import CLINICAL_SUBJECTS, fewer_subjects, stated_by, write_norm
from biomech_id.session.values.step import steps
from biomech_id.values import dataclass, field


@dataclass(frozen=True)
class MadeNorm:
    """A norm that was written: number of subjects, and from how many on a norm is a clinical one.

    Attributes
    ----------
    n : int
        Number of subjects in the norm.
    clinical_subjects : int
        From how many on a norm is a clinical one.
    left_out : tuple[Omission, ...], optional
        Every subject, trial and cycle that is not in it, and why.
    without_fingerprint : tuple[str, ...], optional
        One sentence for each session that does not say how it was computed.
    fewer : Mapping[int, tuple[str, ...]], optional
        Smaller number of subjects -> curves and parameters that only so many have.
    not_taken : tuple[str, ...], optional
        What an imported file has besides, by its names there.
    """

    n: int
    clinical_subjects: int
    left_out: tuple[Omission, ...] = ()
    without_fingerprint: tuple[str, ...] = ()
    fewer: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    not_taken: tuple[str, ...] = ()

    @property
    def lacks_subjects(self) -> bool:
        """Whether a whole subject, or a whole curve of the legs, is not in it that nobody asked to leave out."""
        whole = (each.why for each in self.left_out if not each.trial and not each.side)
        return any(
            why.rule not in ASKED_FOR and why.values.get("variable") not in UPPER_VARIABLES | MUSCLE_VARIABLES for why in whole
        )

    @property
    def clinical(self) -> bool:
        """Whether it has enough subjects."""
        return self.n >= self.clinical_subjects


def make_norm(
    outs: Sequence[Path],
    output: Path,
    *,
    source: str = "",
    condition: str | None = None,
    mix: Sequence[str] = (),
    ages: tuple[float, float] | None = None,
    without: Sequence[str] = (),
    movement: str = WALKING,
    name: str = "",
    version: str = "",
    date: str | None = None,
) -> MadeNorm:
    """Write a norm from every session at and below some folders.

    Parameters
    ----------
    outs : Sequence[Path]
        Folders of run or batch.
    output : Path
        CSV file to write; an existing one is replaced.
    source : str, optional
        Who these people are.
    condition : str | None, optional
        Of the trials to take; needed when there are several.
    mix : Sequence[str], optional
        In what the sessions may differ: "bandwidth", say.
    ages : tuple[float, float] | None, optional
        Youngest and oldest subject, years; None for everybody.
    without : Sequence[str], optional
        Codes of subjects who are left out.
    movement : str, optional
        "walk" (straight walks) or "run": what its cycles are of.
    name, version : str, optional
        By which the norm is known again on every page that is drawn with it.
    date : str | None, optional
        Day it was made, as ISO writes it; None for today.

    Returns
    -------
    MadeNorm
        Number of subjects, and who was left out and why; the norm itself is in the file.

    Raises
    ------
    MissingInputError
        No finished session in any folder.
    OptionError
        Sessions that cannot be in one norm; no such day.
    OutputError
        The file cannot be written.
    """
    folders = [folder for out in outs for folder in session_folders(out)]
    if not folders:
        raise MissingInputError(
            f"{', '.join(map(str, outs))} holds no finished session.",
            value=[str(out) for out in outs], expected="folders written by run or batch", where=str(outs[0]),
        )  # fmt: skip
    check_writable(output)
    day = _day(date)
    stated = source or f"biomech_id {__version__}, {len(folders)} sessions"
    left_out: list[Omission] = []
    unnamed: list[str] = []

    def sessions() -> Iterator[Tables]:
        for folder in steps("read", folders):
            tables = read_tables(folder)
            unnamed.extend(filter(None, [without_fingerprint(str(folder), fingerprint_of(tables.summary))]))
            yield tables

    norm = norm_from_sessions(
        sessions(), source=stated, condition=condition, mix=mix, ages=ages, without=without, tell=left_out.append,
        movement=movement, name=name, version=version, date=day,
    )  # fmt: skip
    write_norm(norm, output)
    n = int(norm["n"].max())
    return MadeNorm(n, CLINICAL_SUBJECTS, tuple(left_out), tuple(unnamed), fewer_subjects(norm))


def import_norm(
    file: Path, output: Path, *, source: str = "", name: str = "", version: str = "", date: str | None = None
) -> MadeNorm:
    """Write a norm from means and SDs that somebody else made.

    Parameters
    ----------
    file : Path
        Their table, as `norms.imported.norm_of_others` reads it.
    output : Path
        CSV file to write; an existing one is replaced.
    source, name, version : str, optional
        Of the norm; empty for what the table says.
    date : str | None, optional
        Day it was made, as ISO writes it; None for the table's, or today.

    Returns
    -------
    MadeNorm
        Number of subjects as the table says it; the norm itself is in the file.

    Raises
    ------
    FileRefusedError, MissingInputError, OptionError
        As for `norms.imported.norm_of_others`; no such day.
    OutputError
        The file cannot be written.
    """
    check_writable(output)
    norm, not_taken = norm_of_others(file)
    given = {"source": source, "name": name, "version": version}
    norm = norm.assign(**{key: word for key, word in given.items() if word})
    norm = norm.assign(date=_day(date or stated_by(norm, "date") or None))
    write_norm(norm, output)
    return MadeNorm(int(norm["n"].max()), CLINICAL_SUBJECTS, fewer=fewer_subjects(norm), not_taken=not_taken)


def _day(date: str | None) -> str:
    """A day as ISO writes it: the one that is given, or today."""
    try:
        return (datetime.date.today() if date is None else datetime.date.fromisoformat(date)).isoformat()
    except ValueError as error:
        raise OptionError(
            f"The norm's date {date!r} is no day: write it as 2026-11-28.", value=date, expected="YYYY-MM-DD", where="norm"
        ) from error
