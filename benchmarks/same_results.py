"""What of the results of two versions differs: everything that a session leaves behind, compared to the byte.

``python -m benchmarks.same_results [COMMIT] [--quick | --sessions NAME ...] [--keep FOLDER]`` runs each session with both versions,
once: `run`, then `check --json` of the same recordings and `review` of the results. Compared are every table, ``summary.json``,
``calibration.json``, the manifest but for what follows from the version, replay arrays, the report by what its pages draw, the
review page by its data, what `check` says, exit codes and sentences. What was only added (keys, columns, tables) is listed and
allowed.
Sessions with an OpenSim model, and setups of OpenSim's tools, are compared to 1e-12 of the largest of a column.

``--keep FOLDER``, or BIOMECH_ID_BASE_RESULTS: where the earlier version's results stay for the next time, as long as the session,
its recordings and the installed packages are the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from importlib.metadata import distributions
from pathlib import Path
from typing import NamedTuple

from benchmarks.before import FIRST_VERSION, ROOT, checkout, full_id, server
from benchmarks.differences import Difference, differences, numbers

#: The commit whose results must stay: everything since keeps them, but for `EXCEPTIONS`.
BASE = "8d63ca57d356e02694d47d83386b7851a98b9ffb"
SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
#: Folder of the earlier version's results, if they are to stay.
KEEP = "BIOMECH_ID_BASE_RESULTS"
#: Exit codes of a run that wrote results: done, done with warnings.
_FINISHED = (0, 3)
#: Progress is no sentence: how many steps there are, and which, may change.
_PROGRESS = re.compile(r"^\[\d+/\d+\] .*\n", re.MULTILINE)
_VIRTUAL = "data"


class Changed(NamedTuple):
    """A result that was changed on purpose, as its line in the changelog says."""

    #: The version it was changed from: `FIRST_VERSION` or `BASE`.
    since: str
    #: Of lines "session/file row or column: ...", as they are printed; * stands for anything.
    pattern: str
    #: Issue and case, and why, in one line.
    reason: str


#: One row for each change; a row that nothing needs any more fails the test that would have needed it.
EXCEPTIONS: tuple[Changed, ...] = (
    *(
        Changed(BASE, f"*/spatiotemporal.csv * {name}: '' -> *", "issue 4, bands for what has none: it has an SD now")
        for name in ("stride_length", "stride_length_dimensionless", "flight_time", "duty_factor")
    ),
    *(
        Changed(BASE, f"*/spatiotemporal.csv * {name}: '' -> *", "issue 4, bands for what has none: it has an SD now")
        for name in ("margin_of_stability_*", "centre_of_mass_*", "leg_work_*", "trunk_*", "arm_swing")
    ),
    *(
        Changed(BASE, f"*/peaks.csv *{name}Angles*: '' -> *", "issue 4, bands for what has none: above the pelvis")
        for name in ("Head", "Thorax", "Neck", "Spine", "Shoulder", "Elbow", "Wrist")
    ),
    Changed(
        BASE,
        "opensim-run-rajagopal_walk-marker_placer/out/scaled.osim *",
        "issue 5, inverse kinematics within ranges: the static pose, and its markers (14 mm on a forearm, others under 2)",
    ),
    Changed(
        BASE,
        "opensim-run-arm26-ik_default/said.json *",
        "issue 5, inverse kinematics within ranges: a pose outside its range by 0.05 degrees is said, the motion is the same",
    ),
    Changed(
        FIRST_VERSION,
        "HC036A/*HC036A23*",
        "issue V, events of patients: the one trial without stored events, a turn; its marker events move by up to 23 ms",
    ),
    Changed(
        FIRST_VERSION, "*/uncertainty.csv *", "issue R, soft tissue that moves, markers one by one: other errors, so other bands"
    ),
    Changed(
        BASE,
        "drop_jump/*",
        "issue 2, events completed outwards: its walk has six cycles instead of two, and the jumps the mean cycle time of six",
    ),
    Changed(BASE, "*/*schema: 2 -> 3", "issue 2, verdicts by layer and side: tables and documents are of schema 3"),
    Changed(
        BASE,
        "*/out/report.pdf page *with kinetics*",
        "issue 2, one count by layer: pages say how many cycles angles have and how many loads, and not how many of the former",
    ),
    Changed(
        BASE,
        "treadmill_run/*",
        "issue 2, verdicts by layer: its force acts 30 mm beside its feet: loads go, angles stay",
    ),
    Changed(
        BASE,
        "*/calibration.json *.knee_varus_*",
        "issue 3, knees: one definition of swing for every rule, by the speed of the ankle (sizes in the changelog)",
    ),
    Changed(BASE, "*/calibration.json *.thigh_marker_turn_deg: *", "issue 3, knees: the same"),
    Changed(BASE, "*/calibration.json *.knee_flexion_in_swing_deg: *", "issue 3, knees: the same"),
    Changed(
        BASE,
        "*/report.pdf page *",
        "issues 2 and 3: findings, methods, reasons of empty panels; every table behind a page is held",
    ),
    Changed(BASE, "*/summary.json *: keys in another order", "issue 2: a cycle says of every layer whether it counts"),
    Changed(BASE, "*/summary.json .complaints*", "issues 2 and 3: findings"),
    Changed(BASE, "*/summary.json .findings*", "issues 2 and 3: findings of knees, copies, muscles; no absolute path"),
    Changed(BASE, "*/summary.json .trials*.findings*", "issues 2 and 3: findings"),
    Changed(BASE, "*/summary.json .trials*.cycles*.reason*", "issue 2: reasons by layer"),
    Changed(BASE, "*/review.html *.findings*", "issues 2 and 3: findings"),
    Changed(BASE, "*/review.html *.cycles*.sound: no such key", "issue 2: whether a cycle counts stands by layer in its place"),
    Changed(BASE, "*/check.jsonl *", "issue 2, check: what a folder lacks and its cures, by the analysis itself"),
    Changed(BASE, "*/said.json .check*", "issue 2, check: the exit code follows the verdict"),
    Changed(BASE, "*/said.json .run.err*", "issues 2 and 3: findings"),
    Changed(
        BASE,
        "*plate-place*",
        "issue 3, plates: nothing is claimed of where a plate stands from fewer than three typical steps in two directions",
    ),
    Changed(
        BASE,
        "*/out/quality.csv * cop-inside-foot: *",
        "issue 3, plates: the share inside is of 0 to 90 % of each stance, above a fifth of body weight",
    ),
    Changed(
        BASE,
        "*/out/quality.csv * cycles-*: *",
        "issue 2, one count: a turn's, a belt's and a run's cycles are counted where they enter means of their own",
    ),
    Changed(BASE, "*/summary.json .plates.places*.verdict: *", "issue 3, plates: the same"),
    Changed(BASE, "*/summary.json .trials*.verdict*", "issue 3, plates: trials that were warned of such a claim alone"),
    Changed(BASE, "*/out/report.pdf: * pages -> *", "issue 9, the standard report: fourteen pages, the rest is the appendix"),
    Changed(BASE, "*/out/report.pdf /*", "issue 9: fonts and shades of the pages that went to the appendix"),
    Changed(BASE, "*/review.html .sessions*.stances*.reason.de*", "issue 2, German is German: Messung instead of Versuch"),
    Changed(BASE, "HC*/review.html .sessions*", "issue 8, the Oxford foot: its curves stand among those of the leg"),
    Changed(BASE, "HC*/review.html .variables*", "issue 8: the same"),
    Changed(BASE, "*/out/summary.json .trials*.reasons*", "issue 3: plates are claimed to stand elsewhere from three steps on"),
    Changed(BASE, "osim-scaled-model/said.json .run.exit_code*", "issue 8: a finding of the foot's markers"),
    Changed(BASE, "HC03*/said.json .run.exit_code: 0 -> 3", "issue 8: the same"),
    Changed(
        BASE, "HC002D-vicon/* '*2 trials: 0 accepted, 2 with warnings*", "issue 3: a trial that was warned of such a claim alone"
    ),
    Changed(
        BASE, "*/review.html .sessions*.arrays.*.sha256: *", "issue 8: curves of the page are rounded to a millionth of their range"
    ),
    Changed(BASE, "*/review.html .sessions*.columns.*: *' -> *", "issue 8: the same"),
    Changed(BASE, "*/review.html .sessions*.curves.*: *' -> *", "issue 8: the same"),
    Changed(
        BASE, "*/review.html .variables.FootProgressAngles X *: no such key", "issue 9, one foot pitch: from the floor, FootPitch.X"
    ),
    Changed(BASE, "*/review.html .variables: keys in another order", "issue 9: the same"),
    Changed(BASE, "*/review.html .labels.*: keys in another order", "issue 9: the same"),
    Changed(BASE, "*/review.html .sessions*: keys in another order", "issue 9: its curves stand among the others"),
    Changed(BASE, "*/review.html .words.de.*", "issue 2, German is German: Messung instead of Versuch, one minus sign"),
    Changed(BASE, "*/review.html .words.en.by_whom: *", "issue 10, one screen: author and reason stand beside the tabs"),
    Changed(BASE, "*/review.html .words.en.verdict_warn: *", "issue 10: grades are called as in the desk's list"),
    Changed(BASE, "*/review.html .words.en.keys_text: *", "issue 10: keys that zoom the time line"),
    Changed(BASE, "*/review.html .sessions*.trials: 0 entries -> *", "issue 10: recordings of muscles alone are shown over time"),
    Changed(BASE, "functional/*", "issue 3, stillest window: its static sways by more than 3 mm, and a part of it calibrates"),
)


def unexplained(found: Mapping[str, Sequence[str]], since: str) -> list[str]:
    """Lines "session/..." that no exception explains."""
    patterns = [each.pattern for each in EXCEPTIONS if each.since == since]
    lines = [f"{session}/{line}" for session, differing in found.items() for line in differing]
    return [line for line in lines if not any(fnmatchcase(line, pattern) for pattern in patterns)]


def stale(found: Mapping[str, Sequence[str]], since: str) -> list[str]:
    """Exceptions for these sessions that explain nothing."""
    lines = [f"{session}/{line}" for session, differing in found.items() for line in differing]
    # What may change in every session need not in each: some have no stance, or no band.
    mine = [each.pattern for each in EXCEPTIONS if each.since == since and not each.pattern.startswith("*/")]
    concerned = [pattern for pattern in mine if any(fnmatchcase(name, pattern.partition("/")[0]) for name in found)]
    return [f"no longer needed: {pattern}" for pattern in concerned if not any(fnmatchcase(line, pattern) for line in lines)]


@dataclass(frozen=True)
class Session:
    """One session as a laboratory would type it."""

    #: Below the folder of recordings; the virtual subject's is each version's own.
    paths: tuple[str, ...] = (_VIRTUAL,)
    options: tuple[str, ...] = ()
    #: Options that name a file below the folder of recordings.
    files: tuple[tuple[str, str], ...] = ()
    #: Text of the recipe, if it has one.
    recipe: str = ""
    #: Within what share of the largest of a column numbers are the same.
    relative: float = 0.0
    command: str = "run"

    def steps(self, more: Sequence[str] = ()) -> dict[str, list[str]]:
        """What is typed, in the session's own folder."""
        paths = [path if path == _VIRTUAL else str(SHARED / path) for path in self.paths]
        named = [word for option, path in self.files for word in (option, str(SHARED / path))]
        recipe = ["--recipe", "recipe.toml"] if self.recipe else []
        steps = {"run": [self.command, *paths, "-o", "out", *self.options, *named, *recipe, *more]}
        if self.command == "run":
            steps["check"] = ["check", "--json", *paths]
            if not self.relative:
                steps["review"] = ["review", "out", "-o", "review.html"]
        return steps

    def recordings(self) -> Iterator[Path]:
        """Every file that it reads from beside the project; of a setup, all of its folder."""
        for path in (*self.paths, *(path for _, path in self.files)):
            if path != _VIRTUAL:
                place = SHARED / path if self.command == "run" else (SHARED / path).parent
                yield from sorted(each for each in place.rglob("*") if each.is_file()) if place.is_dir() else [place]

    @property
    def there(self) -> bool:
        """Whether its recordings are."""
        return all(path == _VIRTUAL or (SHARED / path).exists() for path in self.paths)


#: What a page draws stands in the tables; pages are drawn, and compared, of the virtual subject and of two recorded sessions.
_NO_PAGES = "[output]\nreport = false\n"


def _child(name: str, *options: str) -> Session:
    return Session((f"c3d/children/{name}",), options, recipe="" if name == "HC036A" and not options else _NO_PAGES)


def _setup(name: str) -> Session:
    return Session((f"opensim_refs/{name}.xml",), command="opensim-run", relative=1e-12)


_CHILDREN = ("HC002D", "HC030A", "HC031A", "HC032A", "HC033A", "HC036A")
_SETUPS = (
    "arm26/setup_id_filtered", "arm26/setup_ik_default", "gait10dof18musc/setup_id_raw", "gait10dof18musc/setup_ik_default",
    "gait2392/setup_scale", "gait2392/setup_id_filtered", "gait2392/setup_ik_default", "rajagopal_walk/setup_marker_placer",
    "rajagopal_walk/setup_id_filtered", "rajagopal_walk/setup_ik_default",
)  # fmt: skip
_VICON, _SIX_DOF = ("--kinetics", "vicon"), ("--model", "six-dof")
SESSIONS: Mapping[str, Session] = {
    "virtual": Session(),
    "virtual-vicon": Session(options=_VICON),
    "virtual-six-dof": Session(options=_SIX_DOF),
    **{name: _child(name) for name in _CHILDREN},
    f"{_CHILDREN[0]}-vicon": _child(_CHILDREN[0], *_VICON),
    f"{_CHILDREN[0]}-six-dof": _child(_CHILDREN[0], *_SIX_DOF),
    **{name: Session((f"c3d/norm_subjects/{name}",), _SIX_DOF, recipe=_NO_PAGES) for name in ("NP1002", "NP1006")},
    **{f"knee_device-{name}": Session((f"c3d/knee_device/{name}",), recipe=_NO_PAGES) for name in ("kad", "kad_medial")},
    "functional": Session(
        ("c3d/functional",),
        ("--static", "Test_func_anat"),
        (("--functional", "c3d/functional/Test_func_lhip.c3d"),),
        _NO_PAGES,
    ),
    **{name: Session((f"c3d/{name}",), recipe=_NO_PAGES) for name in ("treadmill_run", "drop_jump", "emg")},
    "five_walks_emg": Session(("c3d/five_walks_emg",)),
    # Bands of errors of this one have a test of their own.
    "osim-own-model": Session(
        ("opensim/gait10dof18musc/ExperimentalData",), (), (("--model", "opensim/gait10dof18musc/subject01.osim"),),
        "[output]\nreport = false\nuncertainty = false\n", 1e-12,
    ),
    "osim-scaled-model": Session(
        ("c3d/children/HC036A",), (), (("--model", "opensim_refs/gait2392/gait2392_thelen2003muscle.osim"),),
        _NO_PAGES, 1e-12,
    ),
    **{f"opensim-run-{name.replace('/setup_', '-')}": _setup(name) for name in _SETUPS},
}  # fmt: skip
#: What everybody can afford many times a day.
QUICK = ("virtual", "virtual-vicon", "virtual-six-dof", "HC036A", "NP1006", "five_walks_emg")


def leave(source: Path, session: Session, home: Path, more: Sequence[str] = (), only: Sequence[str] = ()) -> None:
    """Run a session with the version in ``source``, and leave in ``home`` everything that is compared.

    Parameters
    ----------
    source, home : Path
        A checkout; a folder that is not there yet.
    more : Sequence[str]
        Further options of `run`.
    only : Sequence[str]
        Steps; all if empty.
    """
    home.mkdir(parents=True)
    if _VIRTUAL in session.paths:
        shutil.copytree(source / "data", home / _VIRTUAL)
    if session.recipe:
        (home / "recipe.toml").write_text(session.recipe, encoding="utf-8")
    said = {}
    for step, words in session.steps(more).items():
        if only and step not in only:
            continue
        done = server(source).run(words, home)
        stdout = done.stdout
        if step == "check":
            (home / "check.jsonl").write_text(stdout, encoding="utf-8")
            stdout = ""
        # Warnings of Python's own name a line of the source.
        streams = {name: _PROGRESS.sub("", text).replace(str(source), "") for name, text in (("out", stdout), ("err", done.stderr))}
        said[step] = {"exit_code": done.returncode, **{name: text.splitlines() for name, text in streams.items()}}
        if step == "run" and done.returncode not in _FINISHED:
            break
    (home / "said.json").write_text(json.dumps(said, indent=1), encoding="utf-8")
    shutil.rmtree(home / _VIRTUAL, ignore_errors=True)


def _finished(home: Path) -> Path:
    """A session that is compared has results: two refusals would be the same, and say nothing."""
    said = json.loads((home / "said.json").read_text(encoding="utf-8"))
    if said["run"]["exit_code"] not in _FINISHED:
        raise RuntimeError(f"{home.name}: {said['run']['err']}")
    return home


def numbers_since(before: Path, names: Sequence[str], more: Sequence[str] = (), now: Path | None = None) -> dict[str, list[str]]:
    """Session -> what differs of its numbers alone between the version in a folder and this one.

    Parameters
    ----------
    before : Path
        Folder of the earlier version.
    names : Sequence[str]
        Sessions.
    more : Sequence[str]
        Options that this version takes beside, to do as the earlier one did.
    now : Path | None
        Where this tree's whole results stay, or already are; not together with ``more``.
    """
    if now and more:
        raise ValueError("results that stay are of the session as it is")

    def differing(name: str, scratch: str) -> list[str]:
        session = replace(SESSIONS[name], recipe=SESSIONS[name].recipe or _NO_PAGES)
        theirs, ours = Path(scratch, "before", name), Path(now or Path(scratch, "now"), name)
        leave(before, session, theirs, only=["run"])
        if now:
            leave_now(ours)
        else:
            leave(ROOT, session, ours, more, ["run"])
        return numbers(_finished(theirs) / "out", _finished(ours) / "out")

    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(names, pool.map(lambda name: differing(name, scratch), names), strict=True))


def since(commit: str, names: Sequence[str], keep: Path | None = None, now: Path | None = None) -> dict[str, list[Difference]]:
    """Session -> everything that differs between a commit and this tree.

    Parameters
    ----------
    commit : str
        The earlier version.
    names : Sequence[str]
        Sessions.
    keep, now : Path | None
        Where the results of the commit, and of this tree, stay, or already are; None for nowhere.
    """
    whole = full_id(commit)
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        parent = keep or Path(scratch, "before")
        parent.mkdir(parents=True, exist_ok=True)
        before = {name: parent / f"{whole[:12]}-{name}-{_key(SESSIONS[name])}" for name in names}
        after = {name: Path(now or Path(scratch, "after"), name) for name in names}
        missing = [name for name in names if not before[name].is_dir()]
        source = stack.enter_context(checkout(whole)) if missing else ROOT
        pool = stack.enter_context(ThreadPoolExecutor(os.cpu_count()))
        runs = [pool.submit(_leave_whole, source, SESSIONS[name], before[name]) for name in missing]
        runs += [pool.submit(leave_now, after[name]) for name in names]
        for run in runs:
            run.result()
        return {name: differences(_finished(before[name]), after[name], SESSIONS[name].relative) for name in names}


def leave_now(home: Path) -> Path:
    """Return the folder that is called as a session, with this tree's whole results of it, left there if it is not there yet."""
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        _leave_whole(ROOT, SESSIONS[home.name], home)
    return home


def kept() -> Path | None:
    """The folder that the environment names for the earlier version's results."""
    return Path(os.environ[KEEP]).resolve() if os.environ.get(KEEP) else None


def _leave_whole(source: Path, session: Session, home: Path) -> None:
    """Whole or not at all: others may look for it at the same time."""
    with tempfile.TemporaryDirectory(dir=home.parent) as unfinished:
        leave(source, session, Path(unfinished, "home"))
        if not home.is_dir():
            Path(unfinished, "home").rename(home)


def _key(session: Session) -> str:
    """What the results of one version depend on: what is typed, the recordings, Python and its packages."""
    packages = sorted({f"{each.name}=={each.version}" for each in distributions() if each.name != "biomech-id"})
    key = hashlib.sha256(json.dumps([session.steps(), session.recipe, platform.python_version(), packages]).encode())
    for path in session.recordings():
        key.update(hashlib.sha256(path.read_bytes()).digest())
    return key.hexdigest()[:16]


def main(arguments: Sequence[str] = ()) -> int:
    """Print what differs from a commit; 1 if anything does that no exception explains."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same_results", description="What differs from a commit's results.")
    parser.add_argument("commit", nargs="?", default=BASE)
    parser.add_argument("--sessions", nargs="+", choices=SESSIONS, metavar="NAME", help=", ".join(SESSIONS))
    parser.add_argument("--quick", action="store_true", help=", ".join(QUICK))
    parser.add_argument("--keep", type=Path, default=kept(), help=f"where the commit's results stay (or {KEEP})")
    chosen = parser.parse_args(list(arguments))
    wanted = chosen.sessions or (QUICK if chosen.quick else tuple(SESSIONS))
    names = [name for name in wanted if SESSIONS[name].there]
    found = since(chosen.commit, names, chosen.keep and chosen.keep.resolve())
    version = BASE if full_id(chosen.commit) == full_id(BASE) else ""
    left = {name: [each.line for each in lines if not each.added] for name, lines in found.items()}
    open_lines = unexplained(left, version)
    for name in wanted:
        if name not in found:
            print(f"{name}: no recordings in {SHARED}")
            continue
        mine = [line for line in open_lines if line.startswith(f"{name}/")]
        added = [each.line for each in found[name] if each.added]
        explained = len(left[name]) - len(mine)
        print(f"{name}: {f'{len(mine)} differences' if mine else 'same'}, {explained} explained, {len(added)} added")
        print("".join(f"    {line}\n" for line in mine[:20]) + "".join(f"  + {line}\n" for line in added), end="")
    spent = os.times()
    print(f"CPU {spent.user + spent.system + spent.children_user + spent.children_system:.0f} s")
    return int(bool(open_lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
