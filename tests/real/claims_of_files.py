"""What is said of a recording alone: each claim checked in the bytes of its file (see `claims.py`)."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from claims import Said, claim, instead, plus, sentence
from raw_c3d import Raw

from biomech_id.readers import read_c3d
from biomech_id.trial import Trial

NEWTONS_LOADED = 30.0


@cache
def read(path: Path) -> Trial:
    """The recording as the library reads it: for its names, and to see what was done to it."""
    return read_c3d(path, trust=True)


def plate_index(said: Said) -> int:
    return int(said["plate"].split()[-1]) - 1


def marker_paths(said: Said) -> dict[str, np.ndarray]:
    """Marker -> (n, 3) in metres, file axes, as stored."""
    found = {}
    for name in read(said.path).markers.names:
        try:
            found[name] = said.raw.path_of(name) * said.raw.length_m
        except KeyError:
            found[name] = said.raw.points[:, int(name.split()[-1]) - 1] * said.raw.length_m
    return found


def unseen(path: np.ndarray) -> np.ndarray:
    return ~np.isfinite(path).all(axis=1)


def stretches(mask: np.ndarray) -> list[tuple[int, int]]:
    """(first, last) of every stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


# What header and parameters say.


@claim("analog-missing", elsewhere=True)
def no_analog(said: Said) -> bool:
    """The header's third word."""
    return said.raw.n_channels == 0


@claim("plates-none", elsewhere=True)
def no_plates(said: Said) -> bool:
    """FORCE_PLATFORM:USED."""
    return said.raw.n_plates == 0


@claim("points-none", channels=plus(1), segments=plus(1))
def no_points(said: Said) -> bool:
    """The header's second and third words, and ROTATION:USED."""
    rotations = int(said.raw.number("ROTATION:USED") or 0)
    return said.raw.n_points == 0 and (said["channels"], said["segments"]) == (said.raw.n_channels, rotations)


@claim("analog-rate-missing", rate_hz=plus(1), samples=plus(1))
def no_analog_rate(said: Said) -> bool:
    """Header: rate times samples per frame."""
    told = said.raw.number("ANALOG:RATE")
    return (
        told is None and said["samples"] == said.raw.samples and abs(said["rate_hz"] - said.raw.rate_hz * said.raw.samples) < 1e-3
    )


@claim("data-cut", promised=plus(1), held=plus(1))
def cut(said: Said) -> bool:
    """Bytes behind the data's start, over those of a frame; poses where there is nothing else."""
    return (said["promised"], said["held"]) == (said.raw.stated_frames, said.raw.n_frames)


@claim("frames-disagree", read=plus(1), stated=instead([1, 2]))
def frames_disagree(said: Said) -> bool:
    """Every number of frames that the file states; the one read is the bytes' own."""
    raw = said.raw
    told = {raw.stated_frames, *(int(raw.number(f"POINT:{name}") or 0) for name in ("FRAMES", "LONG_FRAMES"))}
    ends = [raw.parameters.get(f"TRIAL:ACTUAL_{end}_FIELD", ()) for end in ("START", "END")]
    if all(ends):
        first, last = ((int(value[0]) & 0xFFFF) + 65536 * (int(value[1]) & 0xFFFF if len(value) > 1 else 0) for value in ends)
        told.add(last - first + 1)
    size = (4 * raw.n_points + raw.n_channels * raw.samples) * (4 if raw.scale < 0 else 2)
    room = (len(raw.data) - raw.data_start) / size
    return len(set(said["stated"])) > 1 and set(said["stated"]) <= told and said["read"] <= room < said["read"] + 1024 / size + 1


@claim("frame-single", elsewhere=True)
def one_frame(said: Said) -> bool:
    """Frames in the header."""
    return said.raw.stated_frames == 1


@claim("trial-short", duration_s=plus(0.1))
def short(said: Said) -> bool:
    """Frames over the rate, both of the header."""
    return abs(said["duration_s"] - said.raw.n_frames / said.raw.rate_hz) < 1e-3 and said["duration_s"] < 0.5


@claim("rate-low", rate_hz=plus(60))
def slow(said: Said) -> bool:
    """The header's rate."""
    return abs(said["rate_hz"] - said.raw.rate_hz) < 1e-3 and said["rate_hz"] < 50


@claim("labels-duplicate", labels=instead(["NOBODY"]))
def twice(said: Said) -> bool:
    """Labels counted, with and without a subject's name before them."""
    used = [label for label in said.raw.labels[: said.raw.n_points] if label]
    counted = [Counter(used), Counter(label.split(":")[-1] for label in used)]
    return set(said["labels"]) in [{name for name, n in counts.items() if n > 1} for counts in counted]


@claim("labels-spare", labels=plus(1), points=plus(1), spare=instead(["NOBODY"]))
def spare(said: Said) -> bool:
    """Labels behind the number of points."""
    labels, n = said.raw.labels, said.raw.n_points
    return (said["labels"], said["points"]) == (len(labels), n) and set(filter(None, labels[n:])) == set(
        filter(None, said["spare"])
    )


@claim("labels-unlabelled", n=plus(1))
def stars(said: Said) -> bool:
    """Labels that are a star and a number."""
    used = [label.split(":")[-1] for label in said.raw.labels[: said.raw.n_points]]
    return said["n"] == sum(bool(re.fullmatch(r"\*\d+", label)) for label in used)


@claim("labels-odd", n=plus(1))
def odd_labels(said: Said) -> bool:
    """Labels with a letter that is not in printable ASCII."""
    return said["n"] == sum(bool(re.search(r"[^ -~]", label)) for label in said.raw.labels[: said.raw.n_points])


@claim("subjects-several", subjects=instead([["Anna", 3], ["Ben", 4]]), taken=instead("Nobody"))
def subjects(said: Said) -> bool:
    """Names before the colon of each label, counted."""
    counts = Counter(label.split(":")[0] for label in said.raw.labels[: said.raw.n_points] if ":" in label)
    told = dict(said["subjects"])
    return told == dict(counts) and said["taken"] == max(counts, key=lambda name: counts[name])


@claim("markerset-incomplete", markers=instead(["LASI"]))
def incomplete(said: Said) -> bool:
    """No label of the file is the one that is named as missing, or its point is never seen."""
    missing = [name.split(" (or ")[0] for name in said["markers"]]
    labels = {label.split(":")[-1] for label in said.raw.labels[: said.raw.n_points]}
    return all(name not in labels or unseen(said.raw.path_of(name)).all() for name in missing) and len(missing) < len(labels)


def stored_masses(raw: Raw) -> list[float]:
    names = ("BODYMASS", "BODY_MASS", "BODYWEIGHT", "WEIGHT", "MASS")
    return [raw.number(key) or 0.0 for key in raw.parameters if key.split(":")[-1].strip("$") in names]


@claim("mass-missing", elsewhere=True)
def no_mass(said: Said) -> bool:
    """Every parameter that could be a body mass lacks a number of kilograms of a person."""
    return not any(3 <= mass <= 300 for mass in stored_masses(said.raw))


@claim("mass-implausible", mass_kg=plus(70))
def strange_mass(said: Said) -> bool:
    """The parameter named, as stored."""
    return said.raw.number(said["parameter"]) == said["mass_kg"] and not 3 <= said["mass_kg"] <= 300


@claim("height-implausible", height=plus(1.7))
def strange_height(said: Said) -> bool:
    """The parameter named, as stored; a height in metres, centimetres or millimetres it is not."""
    value = said["height"]
    return said.raw.number(said["parameter"]) == value and not any(0.45 <= value * unit <= 2.3 for unit in (1.0, 1e-2, 1e-3))


@claim("units-guessed", size=plus(1e5), unit=instead("m"))
def guessed(said: Said) -> bool:
    """POINT:UNITS, and the longest side of a plate or the extent of the markers in the unit assumed."""
    raw, metres = said.raw, {"mm": 1e-3, "cm": 1e-2, "m": 1.0}[said["unit"]]
    stated = str((*raw.parameters.get("POINT:UNITS", ()), "")[0])
    if stated.lower() in ("mm", "cm", "m") or stated.lower() != said["stated"]:
        return False
    if said["witness"] == "plate":
        sides = [np.linalg.norm(a - b) for i in range(raw.n_plates) for a, b in pairwise(raw.corners(i))]
        return any(abs(side - said["size"]) < 1e-3 * side for side in sides) and 0.15 < said["size"] * metres < 3.0
    return said["witness"] == "nothing" or 0.25 < said["size"] * metres < 3.0


@claim("parameters-damaged", damage=instead({"rule": "parameter-end", "values": {"name": "LABELS", "bytes": 7}}))
def damaged(said: Said) -> bool:
    """The record that is named: where it says that the next one begins, less where it ends."""
    damage = sentence(said["damage"])
    off = {(name, following - end) for *_, name, _, following, end in said.raw.records}
    return damage.rule == "parameter-end" and (damage.values["name"], damage.values["bytes"]) in off and said["skipped"] == 0


@claim("parameters-stray", first=instead({"rule": "parameter-without-group", "values": {"name": "X", "number": 77}}))
def stray(said: Said) -> bool:
    """Records of a group that no record opens, or stored several times."""
    first, records = sentence(said["first"]), said.raw.records
    groups = {-group: name.upper() for _, group, name, *_ in records if group < 0}
    if first.rule == "parameter-without-group":
        stray = [(name, group) for _, group, name, *_ in records if group > 0 and group not in groups]
        return stray[0] == (first.values["name"], first.values["number"]) and len(stray) == said["more"] + 1
    if first.rule == "parameter-twice":
        stored = [(groups.get(group), name.upper()) for _, group, name, *_ in records if group > 0]
        return stored.count((str(first.values["group"]).upper(), str(first.values["name"]).upper())) > 1
    if first.rule == "groups-share-number":
        return sum(group == -int(first.values["number"]) for _, group, *_ in records) > 1
    return first.rule == "parameter-name-odd" and any(
        name == first.values["name"] and not name.isascii() for _, _, name, *_ in records
    )


@claim("unreadable", refusal=instead("walk.c3d is a directory."))
def unreadable(said: Said) -> bool:
    """An empty file has no byte."""
    size = said.path.stat().st_size if said.path else -1
    return ("is empty" in said["refusal"]) == (size == 0) and size == 0


# Events.


def kind_of(label: str) -> str:
    """Strike or off by the words that laboratories use for them."""
    text = label.lower()
    if any(word in text for word in ("strike", "on", "ic")) or re.fullmatch(r"[lr]?(hs|fs|ic)", text):
        return "strike"
    return "off" if "off" in text or re.fullmatch(r"[lr]?(to|fo)", text) else ""


def stored_events(raw: Raw) -> list[tuple[str, str, float]]:
    """(kind, side, time), of the EVENT group or of the header."""
    events = raw.events or [(label, "", time) for label, time in raw.header_events]
    return [(kind_of(label), (context or label)[:1].upper(), time) for label, context, time in events]


@claim("events-none", elsewhere=True)
def no_events(said: Said) -> bool:
    """EVENT:USED and the header's event block, those outside the recording left out."""
    raw = said.raw
    last = (raw.first_frame + raw.n_frames - 2) / raw.rate_hz
    first = (raw.first_frame - 1) / raw.rate_hz
    times = [time for *_, time in raw.events] or [time for _, time in raw.header_events]
    return not any(first - 0.5 / raw.rate_hz <= time <= last + 1.0 / raw.rate_hz for time in times)


@claim("events-in-header", labels=instead(["NONE"]))
def in_header(said: Said) -> bool:
    """The header's labels; no EVENT group."""
    return not said.raw.events and {label for label, _ in said.raw.header_events} >= set(said["labels"]) != set()


@claim("events-order", second_s=plus(0.5), side=lambda side: "L" if side == "R" else "R")
def order(said: Said) -> bool:
    """Both events are stored, and none of the other kind of that side between them."""
    kind = kind_of(said["kind"])
    mine = [(k, t) for k, side, t in stored_events(said.raw) if side == said["side"] and k]
    between = [k for k, t in mine if said["first_s"] < t < said["second_s"] and k != kind]
    return not between and all(any(k == kind and abs(t - said[name]) < 1e-3 for k, t in mine) for name in ("first_s", "second_s"))


@claim("events-outside", n=plus(1), last_s=plus(5))
def outside(said: Said) -> bool:
    """Stored times before the first or behind the last frame of the header."""
    raw = said.raw
    first, last = (raw.first_frame - 1) / raw.rate_hz, (raw.first_frame + raw.n_frames - 2) / raw.rate_hz
    times = [time for *_, time in raw.events] or [time for _, time in raw.header_events]
    out = [time for time in times if not first - 0.5 / raw.rate_hz <= time <= last + 0.5 / raw.rate_hz]
    same = abs(said["first_s"] - first) < 1e-3 and abs(said["last_s"] - last) < 1e-3
    return same and said["n"] == len(out) and all(any(abs(time - t) < 1e-3 for t in out) for _, time in said["events"])


# Markers.


@claim("gap-long", n=plus(1), gaps=instead([["LASI", 1, 2]]))
def long_gap(said: Said) -> bool:
    """Stretches in which a point is unseen between frames in which it is seen."""
    raw, found = said.raw, []
    for name, path in marker_paths(said).items():
        for first, last in stretches(unseen(path)):
            if first > 0 and last < len(path) - 1 and (last - first + 1) > said["limit_s"] * raw.rate_hz:
                found.append([name, first + raw.first_frame, last + raw.first_frame])
    return len(found) == said["n"] and all(list(gap) in found for gap in said["gaps"])


@claim("markers-never-seen", markers=instead(["NOBODY"]))
def never_seen(said: Said) -> bool:
    """No frame shows them, and every other is shown."""
    unseen_names = {name for name, path in marker_paths(said).items() if unseen(path).all()}
    return unseen_names == set(said["markers"]) != set()


@claim("markers-coincide", pairs=instead([["LASI", "RASI"]]))
def coincide(said: Said) -> bool:
    """Two paths, number for number."""
    paths = marker_paths(said)
    return all(np.array_equal(paths[one], paths[other], equal_nan=True) for one, other in said["pairs"])


@claim("marker-spike", frame=plus(40), marker=instead("NOBODY"))
def spike(said: Said) -> bool:
    """In that frame the marker is farther from the middle of its neighbours than in all but a hundredth of the frames."""
    path = marker_paths(said)[said["marker"]]
    off = np.linalg.norm(path[1:-1] - 0.5 * (path[:-2] + path[2:]), axis=1)
    here = off[said["frame"] - said.raw.first_frame - 1]
    return bool(here > 0.02 and here >= np.nanpercentile(off, 99))


@claim("marker-jump", frame=plus(40), marker=instead("NOBODY"))
def jump(said: Said) -> bool:
    """The step into that frame is faster than 30 m/s."""
    path = marker_paths(said)[said["marker"]]
    here = said["frame"] - said.raw.first_frame
    return bool(np.linalg.norm(path[here] - path[here - 1]) * said.raw.rate_hz > 30.0)


def upward(said: Said) -> np.ndarray:
    """The file's upward axis: where the history says so, and checked by `upright` for the files that are turned."""
    turned = [f for f in read(said.path).findings if f.rule == "vertical-rotated"]
    axis = str(turned[0].values["axis"]) if turned else "+Z"
    return np.eye(3)["XYZ".index(axis[1])] * (1.0 if axis[0] == "+" else -1.0)


@claim("markers-below-floor", depth_cm=plus(3), frame=plus(9), marker=instead("NOBODY"))
def below(said: Said) -> bool:
    """Height of that marker in that frame, over the plates' lowest corner or zero."""
    up, raw = upward(said), said.raw
    good = [i for i in range(raw.n_plates) if np.linalg.norm(raw.corners(i)[0] - raw.corners(i)[2]) > 0]
    usable = {plate.name for plate in read(said.path).plates}
    floors = [(raw.corners(i) * raw.length_m @ up).min() for i in good if f"plate {i + 1}" in usable]
    height = marker_paths(said)[said["marker"]][said["frame"] - raw.first_frame] @ up - min(floors, default=0.0)
    return abs(-100.0 * height - said["depth_cm"]) < 0.1 and said["depth_cm"] > 5.0


HIGH = ("LASI", "RASI", "C7", "CLAV", "HEAD", "LFHD", "R.ASIS", "L.ASIS", "LSHO", "RSHO", "SACR", "STRN", "RPSIS", "LPSIS")
LOW = ("LTOE", "RTOE", "LHEE", "RHEE", "LANK", "RANK", "L.Heel", "R.Heel", "LCAL", "RCAL", "RCA", "LCA", "LHEEL", "RHEEL")


@claim("vertical-rotated", axis=instead("+Z"))
def upright(said: Said) -> bool:
    """Along that axis the upper body is above the feet, more than along any other; else the plates lie across it."""
    sign, letter = (1.0 if said["axis"][0] == "+" else -1.0), "XYZ".index(said["axis"][1])
    names = {name.split(":")[-1].upper(): path for name, path in marker_paths(said).items() if not unseen(path).all()}
    parts = [[np.nanmedian(names[n.upper()], axis=0) for n in part if n.upper() in names] for part in (HIGH, LOW)]
    if all(parts):
        up = np.mean(parts[0], axis=0) - np.mean(parts[1], axis=0)
        return sign * up[letter] == np.abs(up).max()
    raw = said.raw
    normals = [np.cross(raw.corners(i)[1] - raw.corners(i)[0], raw.corners(i)[3] - raw.corners(i)[0]) for i in range(raw.n_plates)]
    if normals:
        return all(np.abs(normal).argmax() == letter for normal in normals)
    return said["witness"] == "screen axes" and str(raw.parameters["POINT:Y_SCREEN"][0]).strip()[-1] == said["axis"][1]


@claim("positions-impossible", infinite=plus(1), far=plus(1))
def impossible(said: Said) -> bool:
    """Points marked as measured whose coordinates are no numbers, or beyond the limit."""
    raw, names = said.raw, read(said.path).markers.names
    columns = [i for i, label in enumerate(raw.labels[: raw.n_points]) if label.split(":")[-1] in names or label in names]
    points = raw.stored[:, columns]
    with np.errstate(invalid="ignore"):
        measured = ~(points[..., 3] < 0)
        finite = np.isfinite(points[..., :3]).all(axis=2)
        far = finite & measured & (np.abs(points[..., :3]) * raw.length_m > said["limit_m"]).any(axis=2)
    return (int((measured & ~finite).sum()), int(far.sum())) == (said["infinite"], said["far"])


@claim("output-spike", frame=plus(31), output=instead("NOTHING"))
def output_spike(said: Said) -> bool:
    """In that frame the stored output is farther from its neighbours than anywhere else."""
    path = said.raw.path_of(said["output"])
    off = np.abs(path[1:-1] - 0.5 * (path[:-2] + path[2:]))
    here = off[said["frame"] - said.raw.first_frame - 1]
    return bool(((here >= np.nanmax(off, axis=0)) & (here > 0)).any())


# Plates.


def resting(force: np.ndarray) -> np.ndarray:
    """Mean force where most of the small samples lie: what the plate shows when nobody is on it."""
    small = force[np.linalg.norm(force, axis=1) < 150.0]
    counts, edges = np.histogram(small[:, 2], bins=np.arange(-151.0, 152.0, 2.0))
    middle = edges[int(counts.argmax())] + 1.0
    return np.asarray(np.median(small[np.abs(small[:, 2] - middle) < 6.0], axis=0))


@claim("plate-baseline", "plate-baseline-large", force_N=plus(12), vertical_N=plus(12))
def baseline(said: Said) -> bool:
    """The most frequent small force of the stored channels; and where it is most frequent, what was read is about nothing."""
    index = plate_index(said)
    shown = resting(said.raw.force(index))
    plate = next(p for p in read(said.path).plates if p.name == said["plate"])
    left = resting(plate.force_lab_N)
    # No baseline is known better than one step of the converter.
    close = max(2.0, float(np.diff(np.unique(said.raw.force(index)[:, 2])).min(initial=150.0)) + 0.1) if len(shown) else 0.0
    size = abs(np.linalg.norm(shown) - said["force_N"]) < close and abs(abs(shown[2]) - abs(said["vertical_N"])) < close
    large = said["force_N"] > 20.0
    return bool(size and np.linalg.norm(left) < close + 0.5 and large == (said.rule == "plate-baseline-large"))


@claim("plate-unloaded", elsewhere=True)
def nobody(said: Said) -> bool:
    """No tenth of a second of the stored force is heavier than a light hand."""
    vertical = said.raw.force(plate_index(said))[:, 2]
    load = np.abs(vertical - resting(said.raw.force(plate_index(said)))[2])
    n = max(1, round(0.1 * said.raw.rate_hz * said.raw.samples))
    means = np.convolve(load, np.ones(n) / n, mode="valid") if len(load) >= n else load
    return bool(means.max() < 60.0)


@claim("plate-always-loaded", least_N=lambda value: 2 * value + 100)
def always(said: Said) -> bool:
    """The smallest vertical force of all stored samples."""
    least = np.abs(said.raw.force(plate_index(said))[:, 2]).min()
    return abs(least - said["least_N"]) < 2.0 and least > NEWTONS_LOADED


@claim("plate-applied", elsewhere=True)
def applied(said: Said) -> bool:
    """The stored vertical force, in the plate's own axes (z down), is positive where it is large: somebody's push on the plate."""
    vertical = said.raw.force(plate_index(said))[:, 2]
    corners = said.raw.corners(plate_index(said))
    down = np.cross(corners[0] - corners[1], corners[0] - corners[3]) @ upward(said) < 0
    loaded = vertical[np.abs(vertical) > 100.0]
    return bool(len(loaded) and (np.median(loaded) > 0) == down)


@claim("plate-broken", elsewhere=True)
def broken(said: Said) -> bool:
    """What is wrong, in the parameters as stored."""
    problem, index, raw = sentence(said["problem"]).rule, plate_index(said), said.raw
    if problem == "plate-sensors-apart":
        return not any(raw.parameters["FORCE_PLATFORM:ORIGIN"][3 * index : 3 * index + 2])
    if problem in ("plate-channel-absent", "plate-channels-few"):
        return (
            max((int(c) for c in raw.parameters.get("FORCE_PLATFORM:CHANNEL", (0,))), default=0) > raw.n_channels
            or not raw.n_channels
        )
    if problem == "plate-type-unknown":
        return raw.plate_type(index) not in (1, 2, 3, 4)
    return False


@claim("plate-moment-unit", factor=lambda value: 1.0 if value < 0.1 else 0.001)
def moment_unit(said: Said) -> bool:
    """With that factor the centre of pressure of the loaded samples lies on the plate; with the stated unit it does not."""
    raw, index = said.raw, plate_index(said)
    channels, metres = raw.plate_channels(index), raw.length_m
    loaded = channels[np.abs(channels[:, 2]) > 50.0]
    half = 0.5 * np.linalg.norm(raw.corners(index)[0] - raw.corners(index)[2]) * metres
    stated = {"nm": 1.0, "n.m": 1.0, "nmm": 1e-3, "n.mm": 1e-3}.get(str(said["unit"]).lower(), metres)
    distance = [np.median(np.linalg.norm(loaded[:, 3:5] * unit / loaded[:, 2:3], axis=1)) for unit in (said["factor"], stated)]
    # On the plate, and not at its middle all the time.
    return bool(0.001 < distance[0] < 1.3 * half and not 0.005 < distance[1] < half)


@claim("plates-overlap", other=lambda name: "plate 9")
def overlap(said: Said) -> bool:
    """Points spread over one plate that lie on the other."""
    raw = said.raw
    one, other = (raw.corners(int(said[name].split()[-1]) - 1) for name in ("plate", "other"))
    across = [np.linspace(0.02, 0.98, 25)] * 2
    u, v = (axis.ravel()[:, None] for axis in np.meshgrid(*across))
    spots = one[0] + u * (one[1] - one[0]) + v * (one[3] - one[0])
    sides = other[1] - other[0], other[3] - other[0]
    shares = [(spots - other[0]) @ side / (side @ side) for side in sides]
    return bool(np.mean((shares[0] > 0) & (shares[0] < 1) & (shares[1] > 0) & (shares[1] < 1)) > 0.05)
