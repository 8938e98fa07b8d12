"""OpenSim's models, ``.osim`` of any version, as a `MusculoskeletalModel`.

Versions before 4 hang a joint in its child body and give its two places as numbers; later ones keep joints apart and name frames.
Which of the two a document is, its structure says. Names are found by the last part of a path.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from biomech_id.arguments import a_path, takes
from biomech_id.errors import FileRefusedError
from biomech_id.multibody.musculoskeletal import (
    SURROUNDINGS,
    CoordinateCoupling,
    ModelBody,
    ModelMarker,
    MuscleModel,
    MusculoskeletalModel,
    OffsetFrame,
    WrapObject,
)
from biomech_id.osim.document.constraints import constraints_in
from biomech_id.osim.document.joints import by_joint_path, coordinates_of, from_the_ground, joint_of, three_or_zeros
from biomech_id.osim.document.muscles import muscle_of
from biomech_id.readers.opensim.document import (
    body_fixed,
    described,
    element_number,
    element_numbers,
    element_text,
    is_true,
    objects_in,
    read_document,
    socket,
)

#: Sets whose objects are named, and not used.
UNUSED_SETS = ("ForceSet", "ControllerSet", "ContactGeometrySet", "ProbeSet", "ComponentSet")
#: What stands behind the name of a force that does not act.
SWITCHED_OFF = " (off)"
#: Wrap object's tag -> kind, and the tags that hold its size.
_WRAPS = {
    "WrapCylinder": ("cylinder", ("radius", "length")),
    "WrapEllipsoid": ("ellipsoid", ("dimensions",)),
    "WrapSphere": ("sphere", ("radius",)),
    "WrapTorus": ("torus", ("inner_radius", "outer_radius")),
}
#: What OpenSim 4 rounds in files of older versions.
_ROUNDED = (
    "location_in_parent", "orientation_in_parent", "location", "orientation",
    *(f"inertia_{axes}" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")),
)  # fmt: skip
_SIZES = {"cylinder": 2, "ellipsoid": 3, "sphere": 1, "torus": 2}


@takes(path=a_path("give the name of an OpenSim model"))
def read_osim(path: str | Path, *, muscles: bool = True, markers: bool = True, compat: bool = False) -> MusculoskeletalModel:
    """Read a model from an ``.osim`` file.

    Parameters
    ----------
    path : str | Path
        The ``.osim`` file, of any version.
    muscles : bool, optional
        Whether muscles' paths, and what they wrap over, are wanted; without them, and other actuators, half the time is saved.
    markers : bool, optional
        Whether markers are wanted.
    compat : bool, optional
        Whether joint offsets and moments of inertia of files before version 4 are rounded to six digits, as OpenSim 4 does when it
        reads them: up to 1e-6 m at a toe.

    Returns
    -------
    MusculoskeletalModel
        Lengths in m, masses in kg, angles in rad; what it names and this library does not compute is listed in ``ignored``.

    Raises
    ------
    FileRefusedError
        Not a model, or one that holds what is not supported; the message names the object.
    InvalidValueError
        Numbers that are none, a body no joint carries, coordinates coupled in a circle; the message names the object.
    UnknownNameError
        A marker, joint or path that names what is not there.
    """
    path = Path(path)
    root = read_document(path, actuators=muscles)
    return model_in(root, str(path), muscles=muscles, markers=markers, compat=compat)


def model_in(
    root: Element, where: str, *, muscles: bool = True, markers: bool = True, compat: bool = False
) -> MusculoskeletalModel:
    """Make a model of a document that has been read.

    Parameters
    ----------
    root : Element
        Root of the document, or its ``Model``.
    where : str
        Its file, for messages.
    muscles : bool, optional
        Whether muscles' paths, and what they wrap over, are wanted.
    markers : bool, optional
        Whether markers are wanted.
    compat : bool, optional
        Whether OpenSim's rounding of old files is done too.

    Returns
    -------
    MusculoskeletalModel
        As `read_osim` returns it.
    """
    model = root if root.tag == "Model" else root.find("Model")
    if model is None:
        raise FileRefusedError(f"{where} holds no Model.", value=root.tag, expected="an OpenSim model", where=where)
    bodies = [body for body in objects_in(model, "BodySet") if body.get("name") != SURROUNDINGS]
    if compat:
        for body in bodies:
            _round_old(body)
    frames = FrameFinder(model, where)
    pairs = [joint_of(element, body, frames.find, where) for element, body in _joints(model, bodies)]
    joints = from_the_ground([joint for joint, _ in pairs], where)
    coordinates = tuple(c for joint, element in pairs for c in coordinates_of(joint, element, where))
    joints, coordinates = by_joint_path(joints, coordinates)
    gravity = element_numbers(model, "gravity", None, where)
    paths, unused = _muscles(model, frames, where)
    constraints = tuple(constraints_in(model, frames.find, where))
    return MusculoskeletalModel(
        model.get("name", ""), tuple(_body(body, where) for body in bodies), joints, coordinates,
        gravity if len(gravity) == 3 else (0.0, -9.80665, 0.0),
        couplings=tuple(each for each in constraints if isinstance(each, CoordinateCoupling)),
        constraints=tuple(each for each in constraints if not isinstance(each, CoordinateCoupling)),
        markers=markers_in(model, where, frames) if markers else (), muscles=paths,
        wrap_objects=tuple(_wraps(model, where)) if muscles else (), ignored=unused, source=where,
    )  # fmt: skip


def read_marker_set(path: str | Path) -> tuple[ModelMarker, ...]:
    """Read a file of markers, as OpenSim's scaling takes it beside a model.

    Parameters
    ----------
    path : str | Path
        XML with a MarkerSet.

    Returns
    -------
    tuple[ModelMarker, ...]
        In the file's order; places in m, in the axes of the body that each marker names.

    Raises
    ------
    FileRefusedError
        No such document.
    InvalidValueError
        A marker without a place.
    """
    path = Path(path)
    root = read_document(path)
    if root.tag != "MarkerSet" and root.find("MarkerSet") is None:
        raise FileRefusedError(f"{path.name} holds no MarkerSet.", value=root.tag, expected="a MarkerSet", where=str(path))
    return markers_in(root, str(path), None)


def markers_in(holder: Element, where: str, frames: FrameFinder | None) -> tuple[ModelMarker, ...]:
    """Read the markers of a MarkerSet.

    Parameters
    ----------
    holder : Element
        What holds the set, or the set.
    where : str
        The document's file, named in messages.
    frames : FrameFinder | None
        Frames of the model; without one every marker stands on the body that its frame is called after.

    Returns
    -------
    tuple[ModelMarker, ...]
        In the document's order; places in m, in the axes of the body below the frame that each marker names.
    """
    if holder.tag == "MarkerSet":
        wrapped = Element("document")
        wrapped.append(holder)
        holder = wrapped
    markers = []
    for marker in objects_in(holder, "MarkerSet"):
        if marker.tag != "Marker":
            raise FileRefusedError(
                f"{described(marker)} in the MarkerSet is not supported.", value=marker.tag, expected="Marker", where=where
            )
        name = socket(marker, "parent_frame", "body")
        if not name:
            raise FileRefusedError(
                f"The marker {marker.get('name', '')} is on no body.", value="", expected="a body of the model", where=where
            )
        place = element_numbers(marker, "location", 3, where)
        frame = OffsetFrame(name.rpartition("/")[2]) if frames is None else frames.find(name, f"The marker {marker.get('name')}")
        spot = np.asarray(frame.place_m) + np.asarray(frame.R_body_frame) @ place
        markers.append(ModelMarker(marker.get("name", ""), frame.body, spot, is_true(marker, "fixed")))
    return tuple(markers)


class FrameFinder:
    """Every frame of a model, by its path and by its name, resolved to a body when somebody asks.

    Parameters
    ----------
    model : Element
        ``Model`` element of the document.
    where : str
        The document's file, named in messages.
    """

    def __init__(self, model: Element, where: str) -> None:
        self.where = where
        self.made: dict[str, OffsetFrame] = {SURROUNDINGS: OffsetFrame(SURROUNDINGS)}
        self.bodies = {SURROUNDINGS}
        #: Path -> element; names stand for the first frame that has them.
        self.offsets: dict[str, Element] = {}
        for body in objects_in(model, "BodySet"):
            self.bodies.add(body.get("name", ""))
        owners = [("bodyset", body) for body in objects_in(model, "BodySet")]
        owners += [("jointset", joint) for joint in objects_in(model, "JointSet")]
        #: Frame or station -> what holds it, which its document may call "..".
        self.owners: dict[Element, str] = {}
        #: By the last name and its owner's, or, of those that stand alone, "".
        self.stations = {(e.get("name", ""), ""): e for tag in ("Marker", "Station") for e in model.iter(tag)}
        for group, owner in owners:
            for station in owner.iter("Station"):
                self.owners[station] = owner.get("name", "")
                self.stations[station.get("name", ""), owner.get("name", "")] = station
            for offset in (*owner.iter("PhysicalOffsetFrame"), *owner.iter("StationDefinedFrame")):
                self.owners[offset] = owner.get("name", "")
                self._add(f"{group}/{owner.get('name', '')}/{offset.get('name', '')}", offset)
        for offset in model.iter("PhysicalOffsetFrame"):
            self._add(f"componentset/{offset.get('name', '')}", offset)

    def _add(self, path: str, offset: Element) -> None:
        self.offsets.setdefault(path, offset)
        self.offsets.setdefault(offset.get("name", ""), offset)

    def find(self, name: str, of: str, own: dict[str, Element] | None = None, passed: tuple[str, ...] = ()) -> OffsetFrame:
        """Resolve the name or path of a frame to a body.

        Parameters
        ----------
        name : str
            As the document gives it.
        of : str
            Who names it, for the message.
        own : dict[str, Element] | None, optional
            Frames that come first: a joint's own.
        passed : tuple[str, ...], optional
            Frames on the way here.

        Returns
        -------
        OffsetFrame
            Body, origin (m) and axes of the frame in that body. A body that the document does not have is returned by its name,
            with no offset: the model refuses it, and says who wants it.

        Raises
        ------
        FileRefusedError
            Frames that stand on each other in a circle.
        """
        last, path = name.rpartition("/")[2], name.lstrip("./")
        offset = (own or {}).get(last)
        if offset is None:
            offset = self.offsets.get(path)
        if offset is None and last not in self.bodies:
            offset = self.offsets.get(last)
        if offset is None:
            # A body that is not there is refused by the model, with the name of who wants it.
            return self.made.setdefault(last, OffsetFrame(last))
        if last in passed:
            raise FileRefusedError(
                f"{of} is on the frames {', '.join(passed)}, which stand on each other.",
                value=passed,
                expected="a body",
                where=self.where,
            )
        if offset.tag == "StationDefinedFrame":
            return self._by_stations(offset, (*passed, last))
        above = socket(offset, "parent", "parent")
        above = self.owners.get(offset, "") if above.strip("/") == ".." else above
        base = self.find(above, f"The frame {last}", own, (*passed, last))
        place, R = three_or_zeros(offset, "translation", self.where), body_fixed(three_or_zeros(offset, "orientation", self.where))
        if base is not self.made.get(base.body):
            turned = np.asarray(base.R_body_frame)
            place, R = np.asarray(base.place_m) + turned @ place, turned @ R
        return OffsetFrame(base.body, place, R)

    def _by_stations(self, frame: Element, passed: tuple[str, ...]) -> OffsetFrame:
        """A frame by four points of a body: its origin, and a, b, c: an axis along ab, another normal to ab and ac."""
        of, places, bodies = described(frame), [], set()
        for point in ("origin_point", "point_a", "point_b", "point_c"):
            owner, _, name = socket(frame, point, point).rpartition("/")
            owner = owner.rpartition("/")[2]
            owners = (self.owners.get(frame, "") if owner in ("", ".", "..") else owner, "")
            alike = [each for (last, _), each in self.stations.items() if last == name]
            station = next((self.stations[name, each] for each in owners if (name, each) in self.stations), None)
            if station is None and len(alike) == 1:
                station = alike[0]
            if station is None:
                raise FileRefusedError(f"{of} names the station {name!r}.", value=name, expected="a station", where=self.where)
            above = socket(station, "parent_frame", "body")
            above = self.owners.get(station, "") if above.strip("/") == ".." else above
            base = self.find(above, f"The station {name}", None, passed)
            local = element_numbers(station, "location", 3, self.where)
            places.append(np.asarray(base.place_m) + np.asarray(base.R_body_frame) @ local)
            bodies.add(base.body)
        if len(bodies) > 1:
            raise FileRefusedError(f"{of} is on several bodies.", value=sorted(bodies), expected="one", where=self.where)
        origin, a, b, c = places
        R, known = np.zeros((3, 3)), []
        for tag, vector, usual in (("ab_axis", b - a, "+x"), ("ab_x_ac_axis", np.cross(b - a, c - a), "+y")):
            axis = element_text(frame, tag) or usual
            known.append("xyz".index(axis[-1].lower()))
            R[:, known[-1]] = (-1 if axis.startswith("-") else 1) * vector / np.linalg.norm(vector)
        left = 3 - sum(known)
        R[:, left] = np.cross(R[:, (left + 1) % 3], R[:, (left + 2) % 3])
        return OffsetFrame(bodies.pop(), origin, R)


def _joints(model: Element, bodies: list[Element]) -> Iterator[tuple[Element, str]]:
    """Joints with the name of the body they hang in: versions before 4; "" later."""
    for body in bodies:
        holder = body.find("Joint")
        for joint in holder if holder is not None else ():
            yield joint, body.get("name", "")
    for joint in objects_in(model, "JointSet"):
        yield joint, ""


def _round_old(body: Element) -> None:
    """Six digits for what OpenSim 4 writes anew, as text, when it reads a body of an older file."""
    holder = body.find("Joint")
    joints = list(holder) if holder is not None else []
    for element in (body, *joints):
        for child in element:
            if child.tag in _ROUNDED and child.text:
                child.text = " ".join(f"{float(word):.6g}" for word in child.text.split())


def _body(body: Element, where: str) -> ModelBody:
    if element_text(body, "inertia"):
        xx, yy, zz, xy, xz, yz = element_numbers(body, "inertia", 6, where)
    else:
        names = [f"inertia_{axes}" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")]
        xx, yy, zz, xy, xz, yz = (element_number(body, name, 0.0, where) for name in names)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return ModelBody(
        body.get("name", ""), element_number(body, "mass", 0.0, where), three_or_zeros(body, "mass_center", where), tensor
    )


def _wraps(model: Element, where: str) -> Iterator[WrapObject]:
    ground = list(model.iterfind("Ground"))
    for body in [*ground, *objects_in(model, "BodySet")]:
        for element in objects_in(body, "WrapObjectSet"):
            if element.tag not in _WRAPS:
                raise FileRefusedError(
                    f"The wrap object {described(element)} is not supported.",
                    value=element.tag,
                    expected=", ".join(_WRAPS),
                    where=where,
                )
            kind, tags = _WRAPS[element.tag]
            size = tuple(float(x) for tag in tags for x in element_numbers(element, tag, None, where))
            if len(size) != _SIZES[kind]:
                raise FileRefusedError(
                    f"The size of the wrap object {described(element)} is missing.",
                    value=size,
                    expected=", ".join(tags),
                    where=where,
                )
            R = body_fixed(three_or_zeros(element, "xyz_body_rotation", where))
            frame = OffsetFrame(body.get("name", SURROUNDINGS), three_or_zeros(element, "translation", where), R)
            quadrant, active = element_text(element, "quadrant") or "all", is_true(element, "active", default=True)
            yield WrapObject(element.get("name", ""), kind, frame, size, quadrant, active)


def _muscles(model: Element, frames: FrameFinder, where: str) -> tuple[tuple[MuscleModel, ...], tuple[str, ...]]:
    """Muscles with a path of points, and the names of everything else that is not used."""
    defaults = {element.tag: element for group in model.iter("defaults") for element in group}
    muscles, unused = [], []
    for name in UNUSED_SETS:
        for element in objects_in(model, name):
            muscle = muscle_of(element, defaults.get(element.tag), frames.find, where) if name == "ForceSet" else None
            if muscle is None:
                off = is_true(element, "isDisabled") or not is_true(element, "appliesForce", default=True)
                unused.append(described(element) + (SWITCHED_OFF if off else ""))
            else:
                muscles.append(muscle)
    return tuple(muscles), tuple(unused)
