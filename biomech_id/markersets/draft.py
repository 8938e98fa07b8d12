"""A marker set to begin with, written from a file's labels after the nearest shipped set."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Mapping

from biomech_id.conventions import SIDES
from biomech_id.markersets.detect import SMALLEST_SHARE, Proposal, propose
from biomech_id.markersets.marker_set import MarkerKey, MarkerSet, plain


def draft(labels: Collection[str], name: str = "my-laboratory", *, stored: Collection[str] = ()) -> str:
    """Draft a marker set to be edited, after the nearest shipped one.

    Parameters
    ----------
    labels : Collection[str]
        Labels of the markers that are seen at least once.
    name : str, optional
        Title of the set.
    stored : Collection[str], optional
        Names of points that other software computed, which the set may use.

    Returns
    -------
    str
        TOML: what that set recognises, and the file's other labels as comments.
    """
    best = propose(labels, stored=stored)[0]
    spelling = _spelling(best.markerset, [*labels, *stored])
    lines = [*_heading(best, name), "", "[landmarks]", *_landmarks(best.markerset.landmarks, spelling)]
    extra = [line for line in _landmarks(best.markerset.extra_landmarks, spelling) if not line.startswith("#")]
    lines += ["", "[extra_landmarks]", *extra] if extra else []
    lines += ["", "[tracking]", *_tracking(best.markerset, spelling), *_rules(best.markerset, spelling)]
    unused = ", ".join(label for label in best.unused if label not in spelling.values()) or "none"
    return "\n".join([*lines, "", *textwrap.wrap(f"Not used: {unused}", 118, initial_indent="# ", subsequent_indent="# ")]) + "\n"


def markerset_toml(markerset: MarkerSet, name: str) -> str:
    """Write a marker set as TOML, each label for itself.

    Parameters
    ----------
    markerset : MarkerSet
        The set that is written.
    name : str
        Title that the set gets.

    Returns
    -------
    str
        `load_markerset` reads the same set from it.
    """
    lines = ["# Written from the labels and places of a recording's markers.", "schema = 1", f"title = {_quoted(name)}"]
    lines += [f"models = {_listed(markerset.models)}"]
    for table, entries in (("landmarks", markerset.landmarks), ("extra_landmarks", markerset.extra_landmarks)):
        lines += ["", f"[{table}]", *_by_side({key: _quoted(label) for key, label in entries.items()})] if entries else []
    lines += ["", "[tracking]", *_by_side({key: _listed(cluster) for key, cluster in markerset.tracking.items()})]
    weights = [f"{_quoted(label)} = {weight:g}" for label, weight in markerset.weights.items()]
    lines += ["", "[weights]", *weights] if weights else []
    kinds = {"static_only": markerset.static_only, "optional": markerset.optional}
    return "\n".join([*lines, "", "[markers]", *(f"{kind} = {_listed(sorted(labels))}" for kind, labels in kinds.items())]) + "\n"


def _by_side(entries: Mapping[MarkerKey, str]) -> list[str]:
    lines = []
    for name in dict.fromkeys(name for _, name in entries):
        sides = [f"{side} = {entries[side, name]}" for side in SIDES if (side, name) in entries]
        lines.append(f"{name} = {{ {', '.join(sides)} }}" if sides else f"{name} = {entries['', name]}")
    return lines


def _heading(best: Proposal, name: str) -> list[str]:
    after = f"after the set {best.markerset.name}; {{s}} stands for L and R."
    lines = [f"# Proposed from the labels of a file {after}"]
    if best.share < SMALLEST_SHARE:
        lines = [f"# No known set has these labels: a skeleton {after}"]
        lines += ["# Fill in what was not found; the file's other labels are below."]
    return [*lines, "schema = 1", f"title = {_quoted(name)}", 'source = ""', f"models = {_listed(best.markerset.models)}"]


def _spelling(markerset: MarkerSet, labels: Collection[str]) -> dict[str, str]:
    """The set's label -> the file's, for every label the file has; twins keep the set's, by which the draft keeps them apart."""
    matched = markerset.matches(labels)
    spelling = {new: old for old, new in reversed(matched.items())}
    there = markerset.present(labels) | (set(spelling) & set(markerset.extra_landmarks.values()))
    return {label: spelling.get(label, label) for label in there}


def _landmarks(landmarks: Mapping[MarkerKey, str], spelling: Mapping[str, str]) -> list[str]:
    lines = []
    for (side, landmark), label in landmarks.items():
        if side == "R":
            continue  # written together with the left one
        both = {"L": label, "R": landmarks["R", landmark]} if side else {"": label}
        spelt = {key: spelling[text] for key, text in both.items() if text in spelling}
        lines.append(f"{'' if spelt else '# not found: '}{landmark} = {_quoted(_template(spelt or both))}")
    return lines


def _tracking(markerset: MarkerSet, spelling: Mapping[str, str]) -> list[str]:
    lines = []
    for (side, segment), cluster in markerset.tracking.items():
        if side == "R":
            continue
        others = markerset.tracking["R", segment] if side else cluster
        pairs = [{"L": left, "R": right} if side else {"": left} for left, right in zip(cluster, others, strict=True)]
        spelt = [{key: spelling[text] for key, text in pair.items() if text in spelling} for pair in pairs]
        kept = [_template(pair) for pair in spelt if pair]
        lines.append(f"{segment} = {_listed(kept)}" if kept else f"{segment} = {_listed(_template(p) for p in pairs)}  # not found")
    return lines


def _rules(markerset: MarkerSet, spelling: Mapping[str, str]) -> list[str]:
    """What the set says about its markers, for those the file has: weights, which may be missing, and labels held twice."""
    lines = []
    weights = {_of_pair(label, spelling): weight for label, weight in markerset.weights.items() if label in spelling}
    if weights:
        lines += ["", "[weights]", *(f"{_quoted(label)} = {weight:g}" for label, weight in weights.items())]
    kinds = {"static_only": markerset.static_only, "optional": markerset.optional}
    kept = {kind: sorted({_of_pair(label, spelling) for label in group if label in spelling}) for kind, group in kinds.items()}
    if any(kept.values()):
        lines += ["", "[markers]", *(f"{kind} = {_listed(group)}" for kind, group in kept.items() if group)]
    entries = {
        tuple(_of_pair(label, spelling) for label in (twin.label, twin.lateral, twin.medial))
        for twin in markerset.twins
        if twin.medial in spelling
    }
    for label, lateral, medial in sorted(entries):
        lines += ["", "[[twins]]", f"label = {_quoted(label)}", f"lateral = {_quoted(lateral)}", f"medial = {_quoted(medial)}"]
    return lines


def _of_pair(label: str, spelling: Mapping[str, str]) -> str:
    """The file's spelling of a label of the set, ``{s}`` for its side."""
    side = label[0] if label[0] in SIDES else ""
    return _template({side: spelling.get(label, label)})


def _template(by_side: Mapping[str, str]) -> str:
    """One label for both sides: ``{s}`` where the left and the right one differ, or the first letter that names the side."""
    if len(by_side) == 2:
        left, right = by_side["L"], by_side["R"]
        for i, letters in enumerate(zip(left.upper(), right.upper(), strict=False)):
            if letters == ("L", "R") and plain(left[:i] + left[i + 1 :]) == plain(right[:i] + right[i + 1 :]):
                return left[:i] + "{s}" + left[i + 1 :]
    side, label = next(iter(by_side.items()))
    return re.sub(side, "{s}", label, count=1, flags=re.IGNORECASE) if side else label


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _listed(texts: Iterable[str]) -> str:
    return "[" + ", ".join(_quoted(text) for text in texts) + "]"
