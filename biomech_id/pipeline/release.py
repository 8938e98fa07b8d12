"""Results that may leave the house: sessions read from their folders, written anew under codes of the laboratory's key."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from functools import partial
from pathlib import Path
from typing import Any

from biomech_id.errors import Finding, MissingInputError, OptionError, option
from biomech_id.files.atomic import whole_folder
from biomech_id.files.json_text import json_text, read_json
from biomech_id.pipeline.run import draw_own_report
from biomech_id.pipeline.study.tables import session_folders
from biomech_id.privacy.last_scan import last_scan
from biomech_id.privacy.release import SMALL_K, Released, ReleaseRules, k_of, kept_values, released
from biomech_id.request.input_hashes import make_key, read_key
from biomech_id.session.folder.read_write import check_replaceable, list_outputs, read_back, read_tables, write_folder
from biomech_id.session.folder.replay import Replay, read_replay, write_replay
from biomech_id.session.values.step import steps
from biomech_id.values import dataclass, replace

#: What lies in a release beside its sessions: k of each, what is kept, what cannot be prevented, and every file's hash.
RELEASED = "release.json"
#: When files without a day were written, for whoever asks: the first day that an archive of files can name.
_NO_DAY = date(1980, 1, 1)


@dataclass(frozen=True)
class Release:
    """What was released.

    Attributes
    ----------
    folders : Mapping[Path, str]
        Folder of a session -> the folder that it became.
    k : Mapping[str, int]
        Released folder -> how many people share what is kept of its person.
    findings : tuple[Finding, ...]
        Of the whole release: k, what was left out, what cannot be prevented.
    """

    folders: Mapping[Path, str]
    k: Mapping[str, int]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class _Session:
    """A session that is to be released: where it lies, whose it is, and its day."""

    folder: Path
    name: str
    code: str
    day: str
    born: str


def release_results(
    outs: Sequence[Path],
    folder: Path,
    key: Path,
    *,
    keep: Collection[str] = (),
    days: bool = True,
    body: bool = True,
    report: bool = False,
    pages: Sequence[str] | None = None,
) -> Release:
    """Write results anew so that they may leave the house, whole or not at all.

    Parameters
    ----------
    outs : Sequence[Path]
        Folders of run or batch.
    folder : Path
        What is released: a folder for each session, and ``release.json``.
    key : Path
        The laboratory's key; written if there is no such file.
    keep : Collection[str], optional
        Keys of ``[clinic]`` that are kept, "treatment" and "examination".
    days : bool, optional
        Whether the day of a session is kept, moved by one shift for each person.
    body : bool, optional
        Whether markers, places, lengths and masses are kept: False is the stronger release.
    report : bool, optional
        Whether each session's report is drawn anew, from what is released.
    pages : Sequence[str] | None, optional
        Pages of the report; None for all.

    Raises
    ------
    MissingInputError
        No folder holds results.
    OptionError
        Two people have one name, or the folder or the key lies in the results.
    OutputError
        The folder holds files of somebody else, or a released text would show a name; nothing is written.
    """
    _check_apart(outs, folder, key)
    check_replaceable(folder, listing=RELEASED)
    results = dict.fromkeys(each for out in outs for each in session_folders(out))
    if not results:
        words = f"No results at or below {', '.join(map(str, outs))}: none of these folders has a manifest.json."
        raise MissingInputError(words, value=[str(out) for out in outs], expected="folders of run or batch", where="release")
    make_key(key, coded=True, out=folder)
    rules = ReleaseRules(read_key(key), frozenset(keep), days, body)
    sessions = _in_order(results, rules)
    numbered = {each[0].folder: each for each in _numbered(sessions)}
    folders, kept, left = dict[Path, str](), dict[str, list[object]](), 0
    with whole_folder(folder) as part:
        for lies in steps("write", numbered):
            session, name, of_first = numbered[lies]
            one = _write(session, part / name, rules, report=report, pages=pages)
            kept.setdefault(session.code, []).append((of_first if days else 0, kept_values(one)))
            folders[session.folder], left = name, left + one.left_out
            _set_times(part / name, one.day)
        by_code = k_of(kept)
        k = {name: by_code[name.split("_")[0]] for name in folders.values()}
        findings = _findings(by_code, left, rules)
        listed = {"k": dict(sorted(k.items())), "kept": sorted(keep), "days": "moved" if days else "none", "markers": body}
        list_outputs(
            part, RELEASED, also={**listed, "findings": [{**each.to_dict(), "message": each.message} for each in findings]}
        )
        _set_times(part / RELEASED, None)
    return Release(folders, k, findings)


def _check_apart(outs: Sequence[Path], folder: Path, key: Path) -> None:
    for out in outs:
        one, other = out.resolve(), folder.resolve()
        if one.is_relative_to(other) or other.is_relative_to(one):
            raise OptionError(
                f"{folder} and the results {out} lie in one another; name a folder beside them for what is released.",
                value=str(folder), expected="a folder of its own", where=option("out"),
            )  # fmt: skip
        if key.resolve().is_relative_to(one):
            raise OptionError(
                f"The key {key} lies in the results {out}, whose readers could then undo every code; keep it elsewhere.",
                value=str(key), expected="a place outside the results", where=option("key"),
            )  # fmt: skip


def _in_order(folders: Iterable[Path], rules: ReleaseRules) -> list[_Session]:
    """Sessions by code and day, which tells nothing of the order of names."""
    sessions = list[_Session]()
    born = dict[str, str]()
    for folder in folders:
        subject = read_json(folder / "summary.json")["subject"]
        name = str(subject.get("code") or folder.name)
        each = _Session(
            folder, name, rules.code(name), str(subject.get("session_date") or ""), str(subject.get("birth_date") or "")
        )  # fmt: skip
        if each.born and born.setdefault(each.code, each.born) != each.born:
            raise OptionError(
                f"{folder} and another folder bear one name and two birth dates: give each person a code with `run --code`.",
                value=str(folder), expected="one birth date for each name", where=str(folder),
            )  # fmt: skip
        sessions.append(each)
    return sorted(sessions, key=lambda each: (each.code, each.day))


def _numbered(sessions: Sequence[_Session]) -> Iterator[tuple[_Session, str, int]]:
    """Each session, its folder's name, and its day after the person's first one."""
    first: dict[str, str] = {}
    counts: dict[str, int] = {}
    for each in sessions:
        counts[each.code] = counts.get(each.code, 0) + 1
        since = first.setdefault(each.code, each.day)
        days = (date.fromisoformat(each.day) - date.fromisoformat(since)).days if each.day and since else 0
        yield each, f"{each.code}_{counts[each.code]:02d}", days


def _write(session: _Session, out: Path, rules: ReleaseRules, *, report: bool, pages: Sequence[str] | None) -> Released:
    tables = read_tables(session.folder)
    replays = {name: replay for name in tables.frames if (replay := read_replay(session.folder, name)) is not None}
    markers = dict.fromkeys(label for replay in replays.values() for label in replay.marker_names)
    one = released(tables, rules, name=session.name, folder=session.folder, markers=tuple(markers))
    printed = list[str]()
    extras: list[Callable[[Path], None]] = []
    if rules.body:
        extras.append(partial(_write_replays, replays=replays, one=one))
    if report:
        extras.append(partial(_draw, one=one, printed=printed, pages=pages))
    extras.append(partial(last_scan, words=one.texts.names.words, printed=printed, also=json_text(one.tables.manifest)))
    write_folder(one.tables, out, extras=extras)
    return one


def _write_replays(folder: Path, *, replays: Mapping[str, Replay], one: Released) -> None:
    for trial, replay in replays.items():
        called = tuple(map(one.texts.of, replay.marker_names))
        write_replay(folder, one.texts.names.trial(trial), replace(replay, marker_names=called))


def _draw(folder: Path, *, one: Released, printed: list[str], pages: Sequence[str] | None) -> None:
    tables = read_back(folder, one.tables.manifest)
    draw_own_report(folder, tables=tables, printed=printed, code=one.texts.names.code, pages=pages)


def _set_times(path: Path, day: date | None) -> None:
    """Give a file, or a folder with all that is in it, the time of noon of a day, which is no time of anybody's work."""
    seconds = datetime.combine(day or _NO_DAY, time(12), tzinfo=UTC).timestamp()
    for each in (*path.rglob("*"), path) if path.is_dir() else (path,):
        os.utime(each, (seconds, seconds))


def _findings(by_code: Mapping[str, int], left: int, rules: ReleaseRules) -> tuple[Finding, ...]:
    few = sum(k < SMALL_K for k in by_code.values())
    values: dict[str, Any] = {
        "people": len(by_code), "k": min(by_code.values()), "alone": sum(k == 1 for k in by_code.values()), "few": few,
        "small": SMALL_K,
    }  # fmt: skip
    findings = [
        Finding("release-k-small" if few else "release-k", values),
        Finding("release-rounding", {"people": len(by_code)}),
        Finding("release-curves" if not rules.body else "release-markers", {}),
    ]
    return tuple(findings + ([Finding("release-words-left-out", {"words": left})] if left else []))
