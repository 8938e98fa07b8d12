"""A laboratory's marker set as a value: which marker lies on which anatomical point, and which ones follow each segment.

What a marker lies on is its role ("heel"), with its side apart; every other room asks for roles and knows no label.
Sets are short TOML files, shipped with the package or written by a laboratory; ``{s}`` in a label stands for L and R.
`MarkerSet.renamed` gives a recording the set's own labels: spelling variants and aliases are renamed, and where a file holds one
label twice (labels cut to four characters) the marker farther from the body's mid-line is the lateral one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray, all_finite
from biomech_id.conventions import SIDES
from biomech_id.errors import FileRefusedError
from biomech_id.files.settings import ANYTHING, ListOf, Section, Setting, a_number, mistakes, shipped_or_own, texts, toml_of
from biomech_id.values import dataclass, field, replace

#: Shipped sets, in the order in which ties are broken.
MARKER_SETS: tuple[str, ...] = (
    "plug-in-gait", "plug-in-gait-sacrum", "cgm2", "cast", "fullbody-2009", "bmclab-walk", "bmclab-run", "functional-clusters",
    "helen-hayes", "leardini", "la-trobe", "motion-monitor", "opencap", "opensim-gait2354", "opensim-rajagopal",
)  # fmt: skip
#: What a marker may lie on; "sacrum" has no side. A knee alignment device has three markers of its own.
ROLES: frozenset[str] = frozenset({
    "asis", "psis", "sacrum", "hip_centre", "thigh_wand", "lateral_epicondyle", "medial_epicondyle", "knee_centre", "shank_wand",
    "lateral_malleolus", "medial_malleolus", "ankle_centre", "heel", "toe", "toe_tip", "metatarsal_1", "metatarsal_2",
    "metatarsal_5", "knee_device_axis", "knee_device_1", "knee_device_2",
    "clavicle", "sternum", "c7", "t10", "head_front", "head_back", "shoulder", "lateral_elbow", "wrist_radial", "wrist_ulnar",
    "finger",
})  # fmt: skip
TRACKED_SEGMENTS: tuple[str, ...] = ("pelvis", "thigh", "shank", "foot")
#: Body models that a marker set can serve.
MODELS: tuple[str, ...] = ("conventional", "six-dof")

#: Which roles define which segment; for the report of what is missing.
_SEGMENT_ROLES: dict[str, tuple[str, ...]] = {
    "pelvis": ("asis", "psis", "sacrum"),
    "thigh": ("hip_centre", "thigh_wand", "lateral_epicondyle", "medial_epicondyle", "knee_centre"),
    "shank": ("shank_wand", "lateral_malleolus", "medial_malleolus", "ankle_centre"),
    "foot": ("heel", "toe", "toe_tip", "metatarsal_1", "metatarsal_2", "metatarsal_5"),
}

#: Entries without sides.
_SINGLE = ("sacrum", "pelvis", "clavicle", "sternum", "c7", "t10")

#: (side, segment) or (side, role); the side of the pelvis and of the sacrum is "".
MarkerKey = tuple[str, str]


@dataclass(frozen=True)
class Twins:
    """One label that names two markers of a joint: ``lateral`` and ``medial`` are the labels they get.

    Attributes
    ----------
    label : str
        As in the file.
    lateral : str
        Label of the marker that lies further from the middle.
    medial : str
        Label of the other one.
    """

    label: str
    lateral: str
    medial: str


@dataclass(frozen=True)
class MarkerSet:
    """Which markers define and track each segment.

    Attributes
    ----------
    name : str
        The file's stem, by which recipes name it.
    title : str
        One line for people: whose markers these are.
    source : str
        Where the set is described; may be empty.
    models : tuple[str, ...]
        Models that can be run on it, of `MODELS`.
    landmarks : Mapping[MarkerKey, str]
        ("L" | "R" | "", role) -> label.
    tracking : Mapping[MarkerKey, tuple[str, ...]]
        ("L" | "R" | "", segment) -> labels of the cluster the six-degree-of-freedom model follows.
    weights : Mapping[str, float], optional
        Label -> weight in the pose fit, where it is not one.
    optional : frozenset[str], optional
        Labels that may be missing everywhere.
    static_only : frozenset[str], optional
        Labels that are needed for calibration and may be missing in walking trials.
    aliases : Mapping[str, str], optional
        Other spelling (plain, see `plain`) -> label.
    twins : tuple[Twins, ...], optional
        Labels that occur twice.
    extra_landmarks : Mapping[MarkerKey, str], optional
        (side, role) -> label of markers that some recordings show besides; no detection counts them.
    recognised : bool, optional
        Whether the library recognised what the markers lie on; False for a set that was written down.
    """

    name: str
    title: str
    source: str
    models: tuple[str, ...]
    landmarks: Mapping[MarkerKey, str]
    tracking: Mapping[MarkerKey, tuple[str, ...]]
    weights: Mapping[str, float] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    static_only: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    twins: tuple[Twins, ...] = ()
    extra_landmarks: Mapping[MarkerKey, str] = field(default_factory=dict)
    recognised: bool = False

    def __getstate__(self) -> dict[str, object]:
        # Read-only views cannot be pickled, and whoever holds a calibrated model holds its marker set.
        return {name: dict(value) if isinstance(value, MappingProxyType) else value for name, value in self.__dict__.items()}

    @property
    def roles(self) -> dict[MarkerKey, str]:
        """(side, role) -> label:
        what a recording's markers are asked by (`Markers.roles`).
        """
        return {**self.extra_landmarks, **self.landmarks}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Every label of the set, each once."""
        tracked = [label for cluster in self.tracking.values() for label in cluster]
        return tuple(dict.fromkeys([*self.landmarks.values(), *tracked]))

    @cached_property
    def required(self) -> tuple[str, ...]:
        """Labels a calibration cannot do without."""
        return tuple(label for label in self.labels if label not in self.optional)

    def labels_of(self, segment: MarkerKey) -> tuple[str, ...]:
        """Labels that define or track one segment.

        Parameters
        ----------
        segment : MarkerKey
            Side and segment, ("L", "thigh").

        Returns
        -------
        tuple[str, ...]
            Each once; those that define it first.
        """
        side, name = segment
        roles = {(where, role) for role in _SEGMENT_ROLES[name] for where in ([side] if side else ["", *SIDES])}
        defining = [label for key, label in self.landmarks.items() if key in roles]
        return tuple(dict.fromkeys([*defining, *self.tracking.get(segment, ())]))

    def matches(self, labels: Iterable[str]) -> dict[str, str]:
        """Find the labels of a file that belong to this set.

        Parameters
        ----------
        labels : Iterable[str]
            Labels of the recording's markers.

        Returns
        -------
        dict[str, str]
            The file's label -> the set's; of several spellings of one label the set's own wins, then the first.
        """
        canonical, labels = self._canonical, tuple(labels)
        # A file may hold two spellings of one label: the set's own goes before any other.
        meant_by = {canonical[plain(label)]: label for label in reversed(labels) if plain(label) in canonical}
        meant_by |= {label: label for label in labels if canonical.get(plain(label)) == label}
        chosen = set(meant_by.values())
        exact = {label: canonical[plain(label)] for label in labels if label in chosen}
        taken = set(exact.values())
        for label in labels:
            meant = self.aliases.get(plain(label))
            if label not in exact and meant is not None and meant not in taken:
                exact[label] = meant
                taken.add(meant)
        return exact

    @cached_property
    def _canonical(self) -> Mapping[str, str]:
        """Plain label -> the set's own."""
        canonical = {plain(label): label for label in (*self.extra_landmarks.values(), *self.labels)}
        for twins in self.twins:
            canonical.setdefault(plain(twins.label), twins.label)
        return canonical

    def missing(self, labels: Collection[str]) -> dict[MarkerKey, tuple[str, ...]]:
        """Find the required labels that a file lacks, segment by segment.

        Parameters
        ----------
        labels : Collection[str]
            Labels of the markers that are seen at least once; where one is held twice both its twins count as present.

        Returns
        -------
        dict[MarkerKey, tuple[str, ...]]
            (side, segment) -> labels; segments that lack nothing are left out.
        """
        return self.lacking(self.present(labels))

    def lacking(self, present: Collection[str]) -> dict[MarkerKey, tuple[str, ...]]:
        """Find the required labels that are not among the set's own that are there.

        Parameters
        ----------
        present : Collection[str]
            Labels of the set, as from `present`.

        Returns
        -------
        dict[MarkerKey, tuple[str, ...]]
            (side, segment) -> labels; segments that lack nothing are left out.
        """
        lacking = {key: tuple(label for label in labels if label not in present) for key, labels in self._required_of.items()}
        return {key: labels for key, labels in lacking.items() if labels}

    @cached_property
    def _required_of(self) -> Mapping[MarkerKey, tuple[str, ...]]:
        """Segment -> its required labels."""
        required = set(self.required)
        return {key: tuple(label for label in self.labels_of(key) if label in required) for key in self.segments}

    @property
    def segments(self) -> tuple[MarkerKey, ...]:
        """Keys of the segments the set tracks."""
        return tuple(self.tracking)

    def present(self, labels: Iterable[str], matched: Mapping[str, str] | None = None) -> set[str]:
        """Find the set's labels that a file has.

        Parameters
        ----------
        labels : Iterable[str]
            Labels of the recording's markers.
        matched : Mapping[str, str] | None, optional
            Result of `matches` for them, where it is known already.

        Returns
        -------
        set[str]
            Of a label that is held twice, both twins'.
        """
        labels = tuple(labels)
        present = set((self.matches(labels) if matched is None else matched).values()) & set(self.labels)
        for twins in self.twins:
            if len(twin_labels(twins.label, labels)) == 2:
                present |= {twins.lateral, twins.medial}
        return present

    def renamed(self, names: Sequence[str], position_m: FloatArray) -> tuple[str | None, ...]:
        """Give every marker of a recording the set's label.

        A marker that is never seen does not stand in the way of an alias that is: it comes out as None. Where a label is held
        twice, the marker whose mean distance from the mid-line (of the pelvis markers; of all without them) is larger is lateral.

        Parameters
        ----------
        names : Sequence[str]
            Labels of the recording, one for each marker.
        position_m : FloatArray
            (n, k, 3), metres, laboratory axes, NaN where unseen.

        Returns
        -------
        tuple[str | None, ...]
            One for each marker; markers that do not belong to the set keep their name.
        """
        path = {name: position_m[:, i] for i, name in enumerate(names)}
        seen = [names[i] for i in np.flatnonzero(all_finite(position_m).any(axis=0)).tolist()]
        new = self.matches(seen)
        for twins in self.twins:
            pair = twin_labels(twins.label, seen)
            if len(pair) == 2:
                distance = {name: self._from_midline(path[name], path, new, position_m) for name in pair}
                outer, inner = sorted(pair, key=lambda name: -distance[name])
                new |= {outer: twins.lateral, inner: twins.medial}
        taken = set(new.values())
        return tuple(new.get(name, None if name in taken else name) for name in names)

    def _from_midline(
        self, path_m: FloatArray, paths_m: Mapping[str, FloatArray], renamed: Mapping[str, str], everything_m: FloatArray
    ) -> float:
        """Mean distance, metres, of a path (n, 3) from the plane between the anterior spines, or from the middle of all markers."""
        back = {new: old for old, new in renamed.items()}
        left, right = (back.get(self.landmarks.get((side, "asis"), "")) for side in SIDES)
        if left is None or right is None:
            from_middle_m = path_m - np.nanmean(everything_m, axis=1)
            return float(np.nanmean(np.linalg.norm(from_middle_m[:, :2], axis=1)))
        a, b = paths_m[left], paths_m[right]
        axis = (a - b) / np.linalg.norm(a - b, axis=1, keepdims=True)
        return abs(float(np.nanmean(np.einsum("ij,ij->i", path_m - 0.5 * (a + b), axis))))


@lru_cache(maxsize=4096)
def plain(label: str) -> str:
    """Take off a label what laboratories vary: case, blanks, dots, hyphens, underscores.

    Parameters
    ----------
    label : str
        As in the file.

    Returns
    -------
    str
        In capitals.
    """
    return re.sub(r"[\s._-]", "", label).upper()


def twin_labels(label: str, labels: Iterable[str]) -> tuple[str, ...]:
    """Find the labels a reader gave to markers that share one.

    Parameters
    ----------
    label : str
        As in the file.
    labels : Iterable[str]
        Labels that the reader gave.

    Returns
    -------
    tuple[str, ...]
        The label itself, and itself with a number attached (``RKNE_2``), as far as they are there.
    """
    pattern = re.compile(re.escape(plain(label)) + r"[#(]?\d*\)?")
    return tuple(name for name in labels if pattern.fullmatch(plain(name)))


def load_markerset(name: str | os.PathLike[str]) -> MarkerSet:
    """Load a shipped marker set by its name, or a laboratory's own by the path of its TOML file.

    Parameters
    ----------
    name : str | os.PathLike[str]
        One of `MARKER_SETS`, or the path of a file.

    Returns
    -------
    MarkerSet
        Shipped ones are read once.

    Raises
    ------
    OptionError
        No such set.
    FileRefusedError
        A file that cannot be understood; the message names the entry.
    """
    if str(name) in MARKER_SETS:
        return _shipped(str(name))
    shipped = Path(__file__).parent
    return parse_markerset(shipped_or_own(Path(name), "marker set", MARKER_SETS, shipped, ".toml"), Path(name).stem)


@cache
def _shipped(name: str) -> MarkerSet:
    return parse_markerset(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"), name)


def default_roles() -> dict[MarkerKey, str]:
    """Roles of markers for which no marker set was named: those of Plug-in Gait's own labels, spelt exactly so.

    Returns
    -------
    dict[MarkerKey, str]
        (side, role) -> label.
    """
    return _shipped(MARKER_SETS[0]).roles


def parse_markerset(text: str, name: str) -> MarkerSet:
    """Make a marker set from its TOML.

    Parameters
    ----------
    text : str
        Content of the TOML file.
    name : str
        Name that the set gets; messages call it so.

    Returns
    -------
    MarkerSet
        With the labels of both sides written out.

    Raises
    ------
    FileRefusedError
        Not TOML, or an entry that is missing, misspelt or of the wrong type.
    """
    try:
        content = toml_of(text)
    except ValueError as reason:
        raise FileRefusedError(
            f"The marker set {name} is not valid TOML: {reason}.", value=str(reason), expected="TOML", where=name
        ) from reason
    flaws = [message.removesuffix(".") for message, *_ in mistakes(MARKER_SET, content, "")]
    if flaws:
        raise FileRefusedError(
            f"The marker set {name} cannot be used: {'; '.join(flaws)}.",
            value=flaws, expected=f"landmarks of {', '.join(sorted(ROLES))}; segments {', '.join(TRACKED_SEGMENTS)}", where=name,
        )  # fmt: skip
    markers = content.get("markers", {})
    weights = {new: float(weight) for label, weight in content.get("weights", {}).items() for new in _both(label)}
    twins = [[str(entry[kind]) for kind in ("label", "lateral", "medial")] for entry in content.get("twins", ())]
    return MarkerSet(
        name=name,
        title=str(content["title"]),
        source=str(content.get("source", "")),
        models=tuple(content.get("models", MODELS)),
        landmarks=_points(content["landmarks"]),
        tracking=MappingProxyType(_sided(content["tracking"], single=_SINGLE)),
        weights=MappingProxyType(weights),
        optional=_expanded(markers.get("optional", ())),
        static_only=_expanded(markers.get("static_only", ())),
        aliases=MappingProxyType(_aliases(content.get("aliases", {}))),
        twins=tuple(Twins(*(label.replace("{s}", side) for label in labels)) for labels in twins for side in SIDES),
        extra_landmarks=_points(content.get("extra_landmarks", {})),
    )


def _points(entries: Mapping[str, Any]) -> Mapping[MarkerKey, str]:
    return MappingProxyType({key: label for key, (label,) in _sided(entries, single=_SINGLE).items()})


def _label(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and [type(item) for item in value] == [str])


def _are_twins(entry: object) -> bool:
    return isinstance(entry, dict) and entry.keys() == {"label", "lateral", "medial"}


_TWINS = Setting("label, lateral and medial", _are_twins, said=lambda at: (
    f"twins need label, lateral and medial, not {sorted(at.value) if isinstance(at.value, dict) else at.value}"
))  # fmt: skip
_MODEL = Setting("a model", lambda v: v in MODELS, said=lambda at: f"unknown model {at.value!r}")
_LABEL = Setting("a label", _label, per=SIDES)
_LANDMARKS = Section(
    {role: replace(_LABEL, per=() if role in _SINGLE else SIDES) for role in sorted(ROLES)},
    unknown=lambda at: f"unknown landmark {at.key!r}",
)
_CLUSTER = Setting("labels", lambda v: v and texts().fits(v), per=SIDES, said=lambda at: f"no markers to track the {at.key}")
#: What a marker set may say.
MARKER_SET = Section(
    {
        "schema": ANYTHING, "title": ANYTHING, "source": ANYTHING, "models": ListOf(_MODEL),
        "landmarks": _LANDMARKS, "extra_landmarks": _LANDMARKS,
        "tracking": Section(
            {name: replace(_CLUSTER, per=() if name in _SINGLE else SIDES) for name in TRACKED_SEGMENTS}, required=TRACKED_SEGMENTS,
            missing=lambda at: f"no markers to track the {at.key}", unknown=lambda at: f"unknown segment {at.key!r}",
        ),
        "weights": Section({}, rest=a_number(0)), "aliases": Section({}, rest=texts()), "twins": ListOf(_TWINS),
        "markers": Section(dict.fromkeys(("optional", "static_only"), texts()), unknown=lambda at: f"unknown entry {at.dotted!r}"),
    },
    required=("title", "landmarks", "tracking"),
    unknown=lambda at: f"unknown entry {at.key!r}",
    missing=lambda at: f"no entry {at.key!r}",
)  # fmt: skip


def _both(label: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label.replace("{s}", side) for side in SIDES))


def _expanded(labels: Iterable[str]) -> frozenset[str]:
    return frozenset(new for label in labels for new in _both(label))


def _sided(entries: Mapping[str, Any], *, single: Collection[str]) -> dict[MarkerKey, tuple[str, ...]]:
    """Expand ``{s}``: name -> label or labels becomes (side, name) -> labels; names in ``single`` have no side.

    Where the sides' labels have nothing in common a table gives each: ``heel = {L = "HX", R = "QV"}``.
    """
    out: dict[MarkerKey, tuple[str, ...]] = {}
    for name, value in entries.items():
        for side in ("",) if name in single else SIDES:
            own = value.get(side, ()) if isinstance(value, Mapping) else value
            labels = [own] if isinstance(own, str) else own
            if labels:
                out[side, name] = tuple(label.replace("{s}", side) for label in labels)
    return out


def _aliases(entries: Mapping[str, Any]) -> dict[str, str]:
    """Spelling -> label, for both sides; a spelling given to two labels belongs to the first."""
    out: dict[str, str] = {}
    for label, spellings in entries.items():
        for spelling in spellings:
            for side in SIDES if "{s}" in label or "{s}" in spelling else ("",):
                out.setdefault(plain(spelling.replace("{s}", side)), label.replace("{s}", side))
    return out
