"""The technician's morning: thirteen visits driven in a browser from the list to the signature, by clicks alone.

``python -m benchmarks.studies.desk_morning [PLACE [VISIT ...]]`` writes the folders of `desk_folders` into PLACE/archive, opens
the desk and drives each by the names that its screens bear for tests: every cure that is offered is taken, the visit is run,
looked at in the review, and signed. Each visit's row says whether all came as written down, how many clicks it took,
what was typed, whether the command line shown gives the same bytes by hand, whether the recordings are as they were, and how many
requests went elsewhere. Rows are appended to PLACE/log.jsonl, from which an unfinished study goes on. The table lies beside this
module.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.studies.desk_folders import FOLDERS, LAYERS, NUMBERED, PLACES, Folder
from biomech_id import __version__
from biomech_id.desk.versions import flaws_of, signatures_of
from tests.peers.browser import browser

TABLE = Path(__file__).with_suffix(".md")
#: Between the opening of the list and a visit's signature, median.
MOST_CLICKS = 15
#: How long (ms) anything may take on a machine that others use too.
PATIENCE_MS = 600_000
WHO, SIGNER, ROLE = "M. Technician", "Dr. A. Example", "physician"


@dataclass
class Came:
    """What came of a visit.

    Attributes
    ----------
    visit, what : str
        As of `Folder`.
    cures : list[str]
        Offered.
    end : str
        Stage in which it ended.
    grades : dict[str, str]
        Layer -> grade that the run found.
    wrong : list[str]
        What is not as it was written down.
    clicks : int
        From the list to the signature.
    typed : list[str]
        Into fields.
    equal : str
        Files by hand that have the same bytes, of how many.
    untouched : bool
        Whether the recordings are as they were.
    foreign : int
        Requests to other origins.
    """

    visit: str
    what: str
    cures: list[str] = field(default_factory=list)
    end: str = ""
    grades: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    clicks: int = 0
    typed: list[str] = field(default_factory=list)
    equal: str = "none"
    untouched: bool = True
    foreign: int = 0


class Hand:
    """A page, and what somebody clicks and types on it."""

    def __init__(self, page: Any, came: Came) -> None:
        self.page, self.came = page, came

    def click(self, control: Any) -> None:
        """Click once."""
        self.came.clicks += 1
        control.click()

    def choose(self, select: Any, value: str) -> None:
        """Choose of a list: one click."""
        self.came.clicks += 1
        select.select_option(value)

    def type(self, control: Any, text: str) -> None:
        """Write into a field."""
        self.came.typed.append(text)
        control.fill(text)

    def row(self) -> Any:
        """The visit's row of the list."""
        return self.page.locator(f"[data-testid=visit-row][data-visit='{self.came.visit}']")

    def looked(self) -> Any:
        """The visit's row once the doctor has said of it what is to say."""
        row = self.row()
        row.get_by_test_id("layer-kinematics").wait_for()
        return row

    def at(self, stage: str) -> Any:
        """The visit's row once it is so far."""
        self.page.locator(f"[data-testid=visit-row][data-visit='{self.came.visit}'][data-stage={stage}]").wait_for()
        return self.row()


@contextmanager
def opened_desk(archive: Path, chromium: Any, asked: list[str]) -> Iterator[tuple[Any, subprocess.Popen[str]]]:
    """A page of a desk and the desk's process; what the page asks of other origins, and its errors, go into a list."""
    command = [sys.executable, "-m", "biomech_id", "desk", str(archive), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        link = process.stdout.readline().split()[1]
        own = urlsplit(link).netloc
        context = chromium.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("request", lambda request: asked.append(request.url) if is_foreign(request.url, own) else None)
        page.on("pageerror", lambda error: asked.append(str(error)))
        page.on("dialog", lambda dialog: asked.append(dialog.message))
        page.goto(link)
        yield page, process
        context.close()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def open_list(page: Any) -> None:
    """Go to the list of visits, whatever is open."""
    page.goto(urlsplit(page.url)._replace(path="/", query="", fragment="").geturl())


def is_foreign(url: str, own: str) -> bool:
    """Whether a page asks another origin; the browser's own pages are none."""
    return url.startswith(("http", "ws")) and urlsplit(url).netloc != own


def hashes_below(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder, by its name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


# Clicks


def take_cure(hand: Hand, kind: str, value: str) -> None:
    """Open a cure from the list, and take it."""
    hand.click(hand.row().get_by_test_id(f"open-cure-{kind}"))
    box = hand.page.get_by_test_id(f"cure-{kind}")
    box.wait_for()
    if kind == "static":
        hand.click(box.locator(f"[data-testid=cure-static-option][value={value}]"))
    elif kind == "mass" and not value:
        hand.click(box.get_by_test_id("cure-mass-take"))
    elif kind in ("mass", "measurements"):
        hand.type(box.get_by_test_id(f"cure-{kind}-field").first, value)
        hand.click(box.get_by_test_id(f"cure-{kind}-save"))
    elif kind == "marker-set":
        hand.click(box.get_by_test_id("cure-marker-set-names"))
        for label, place in PLACES.items():
            hand.choose(box.locator(f"[data-testid=cure-marker-set-role][data-label='{NUMBERED[label]}']"), place)
        hand.click(box.get_by_test_id("cure-marker-set-save"))
    elif kind == "channels":
        labels = box.get_by_test_id("cure-channel").evaluate_all("(all) => all.map((each) => each.dataset.label)")
        for label in labels:
            hand.choose(box.locator(f"[data-testid=cure-channel][data-label='{label}']"), MUSCLES[label])
    else:
        button = {"exchange": "cure-exchange-accept"}.get(kind, f"cure-{kind}-leave-out")
        hand.click(box.get_by_test_id(button).first)
    hand.page.get_by_test_id("live").get_by_text("Saved").wait_for()


#: Channels that name no muscle -> what the person who stuck the electrodes says.
MUSCLES = {
    "EMG 1": "L rectus_femoris", "EMG 2": "R rectus_femoris", "EMG 3": "L hamstrings", "EMG 4": "R hamstrings",
    "EMG 5": "L tibialis_anterior", "EMG 6": "R tibialis_anterior", "EMG 7": "L gastrocnemius", "EMG 8": "R gastrocnemius",
    "Voltage.10_semitend": "R semitendinosus", "Voltage.16_L_semitend": "L semitendinosus",
}  # fmt: skip


def review(hand: Hand, *, decides: bool) -> None:
    """Look at the curves and what limits them; move an event and run again where somebody would; go on to the signature."""
    page = hand.page
    hand.click(hand.at("review").get_by_test_id("action-review"))
    page.wait_for_selector("html[data-whole]", state="attached")
    if decides:
        hand.click(page.get_by_test_id("tab-events"))
        hand.click(page.locator("[data-decide$='+1']:visible").first)
        page.locator("[data-testid=save-state][data-state=saved]").wait_for()
        page.locator("[data-testid=rerun]:enabled").wait_for()
        hand.click(page.get_by_test_id("rerun"))
        page.get_by_test_id("change-row").first.wait_for()
    hand.click(page.get_by_test_id("to-sign"))


def sign(hand: Hand) -> None:
    """Sign what is shown; the button is dead until everything is said."""
    page, button = hand.page, hand.page.get_by_test_id("sign-button")
    button.wait_for()
    dead = [button.is_disabled()]
    hand.type(page.get_by_test_id("sign-name"), SIGNER)
    hand.choose(page.get_by_test_id("sign-role"), ROLE)
    for tick in page.get_by_test_id("sign-see").all():
        hand.click(tick)
    dead.append(button.is_disabled())
    hand.click(page.get_by_test_id("sign-seen"))
    if not all(dead):
        hand.came.wrong.append("the signature is not dead before all is said")
    hand.click(button)
    page.get_by_test_id("signed-version").wait_for()
    hand.at("signed")


def driven(page: Any, folder: Folder, came: Came) -> None:
    """From the list to the signature, or to what the visit lacks."""
    hand = Hand(page, came)
    row = hand.looked()
    offered = row.locator("[data-testid^=open-cure-]").evaluate_all("(all) => all.map((each) => each.dataset.testid)")
    came.cures = [each.removeprefix("open-cure-") for each in offered]
    if set(came.cures) != set(folder.cures):
        came.wrong.append(f"cures offered: {', '.join(came.cures) or 'none'}; expected: {', '.join(folder.cures) or 'none'}")
    if folder.end == "new":
        if row.get_by_test_id("action-run").is_enabled():
            came.wrong.append("may be run")
        came.grades = grades_of(row)
        came.end = row.get_attribute("data-stage")
        return
    for kind in folder.cures:
        if kind not in folder.leaves:
            take_cure(hand, kind, folder.takes.get(kind, ""))
    row.locator("[data-testid=action-run]:enabled").wait_for()
    hand.click(row.get_by_test_id("action-run"))
    review(hand, decides=folder.decides)
    sign(hand)
    came.grades = grades_of(hand.row())
    came.end = hand.row().get_attribute("data-stage")


def grades_of(row: Any) -> dict[str, str]:
    """Grade of each layer as a row shows it."""
    return {layer: str(row.get_by_test_id(f"layer-{layer}").get_attribute("data-grade")) for layer in LAYERS}


# What came of it


def held_against(folder: Folder, came: Came, desk: Path) -> None:
    """Add what is not as it was written down."""
    if came.end != folder.end:
        came.wrong.append(f"ends {came.end or 'nowhere'}, expected {folder.end}")
    for layer, right in folder.layers.items():
        grade = came.grades.get(layer, "").replace(" ", "-")
        if grade not in right.split():
            came.wrong.append(f"{layer}: {grade or 'no grade'}, expected {right.replace(' ', ' or ')}")
    if folder.end == "new" and "accept" in came.grades.values():
        came.wrong.append("a layer is green that cannot be run")
    versions = desk / "visits" / folder.visit / "versions"
    if folder.end == "signed" and (len(signatures_of(versions)) != 1 or list(flaws_of(versions))):
        came.wrong.append("the signature does not hold")


def by_hand(page: Any, folder: Folder, desk: Path, out: Path) -> str:
    """How many files the command line that the desk shows writes as the desk has them, of how many."""
    open_list(page)
    row = page.locator(f"[data-testid=visit-row][data-visit='{folder.visit}']")
    row.get_by_test_id("open-visit").click()
    page.locator(f"[data-testid=visit-panel][data-visit='{folder.visit}']").wait_for()
    words = shlex.split(page.get_by_test_id("command").inner_text())
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "biomech_id", *words[1:], "-o", str(out)], check=False, capture_output=True)
    results = desk / "visits" / folder.visit / "results"
    names = sorted({path.relative_to(each).as_posix() for each in (results, out) for path in each.rglob("*") if path.is_file()})
    same, _, _ = filecmp.cmpfiles(results, out, names, shallow=False)
    return f"{len(same)} of {len(names)}"


def one_visit(page: Any, folder: Folder, archive: Path, asked: list[str]) -> Came:
    """Drive one visit and hold what came of it against what was written down."""
    came, desk = Came(folder.visit, folder.what), archive.parent / f"{archive.name} desk"
    before, n_asked = hashes_below(archive), len(asked)
    try:
        driven(page, folder, came)
        held_against(folder, came, desk)
        if folder.end == "signed":
            came.equal = by_hand(page, folder, desk, archive.parent / "by hand")
            came.wrong += ["other bytes by hand"] * (len(set(came.equal.split(" of "))) != 1)
    except Exception as error:  # noqa: BLE001 - whatever stops one visit, the others are driven
        came.wrong.append(str(error).splitlines()[0])
    came.foreign = len(asked) - n_asked
    came.untouched = hashes_below(archive) == before
    return came


def line(came: Came) -> str:
    """One row of the table."""
    grades = ", ".join(came.grades.get(layer, "?") for layer in LAYERS)
    paths = sum("/" in text or "\\" in text for text in came.typed)
    cells = (
        came.visit, came.what, ", ".join(came.cures) or "none", came.end, grades, "no" if came.wrong else "yes", str(came.clicks),
        f"{len(came.typed)} ({paths})", came.equal, "yes" if came.untouched else "no", str(came.foreign),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def table(rows: Sequence[Came]) -> str:
    """The committed page."""
    corrected = sum(folder.corrected for folder in FOLDERS if folder.visit in {each.visit for each in rows if not each.wrong})
    right, signed = sum(not each.wrong for each in rows), [each.clicks for each in rows if each.end == "signed"]
    head = (
        f"Version {__version__}, {len(rows)} visits, Debian's Chromium at 1280 x 720, clicks alone: {right} of {len(rows)} end "
        f"right, {corrected} of which only since what was expected of them was corrected; {len(signed)} are signed. Clicks from "
        f"the list to the signature "
        f"{statistics.median(signed):g} (median; {min(signed)} to {max(signed)})."
    )
    notes = (
        "Right: exactly the expected cures are offered, the run grades every layer as the recordings allow, the signature holds. "
        "Grades are of kinematics, kinetics and muscles. Typed are texts in fields (name, mass, a diameter), in brackets those "
        "that hold a path. By hand are files that the command line shown writes with the same bytes. Two visits hold too "
        "little for angles, and that is written down as the right end: `own names` (clusters without anatomical points, no static "
        "trial) is signed with its muscles alone, and `no static` cannot be run. `exchanged` was first expected to be accepted "
        "throughout; labels put right by hand are a limit of their own (`repaired`), so it is shown with limits. Angles of "
        "`own names` were first expected to be called "
        "not measured, as before the run; the run calls them not judged, which says as much."
    )
    columns = ("visit", "what lies in it", "cures", "end", "grades", "right", "clicks", "typed (paths)", "same bytes by hand",
               "recordings untouched", "requests elsewhere")  # fmt: skip
    wrong = [f"- {each.visit}: {text}" for each in rows for text in each.wrong]
    lines = ["# The technician's morning", "", head, "", notes, "", f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
    return "\n".join([*lines, *map(line, rows), *([""] if wrong else []), *wrong, ""])


def write_folders(archive: Path, folders: Sequence[Folder] = FOLDERS) -> None:
    """Write recordings that are not there yet."""
    for folder in folders:
        place = archive / folder.visit
        if not place.is_dir():
            place.mkdir(parents=True)
            folder.make(place)


def main(place: str = "", *visits: str) -> int:
    """Write the table; how many visits are not right."""
    with tempfile.TemporaryDirectory() as temporary, browser() as chromium:
        home = Path(place or temporary)
        archive, log = home / "archive", home / "log.jsonl"
        write_folders(archive)
        done = [Came(**json.loads(text)) for text in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        rows = {each.visit: each for each in done}
        asked: list[str] = []
        with opened_desk(archive, chromium, asked) as (page, _):
            page.get_by_test_id("who").fill(WHO)
            for folder in FOLDERS:
                if folder.visit in rows or (visits and folder.visit not in visits):
                    continue
                open_list(page)
                came = rows[folder.visit] = one_visit(page, folder, archive, asked)
                print(line(came), *came.wrong, sep="\n", flush=True)
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(came)) + "\n")
        ordered = [rows[folder.visit] for folder in FOLDERS if folder.visit in rows]
        if any(each.end == "signed" for each in ordered):
            TABLE.write_text(table(ordered), encoding="utf-8")
        return sum(bool(each.wrong) for each in ordered)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
