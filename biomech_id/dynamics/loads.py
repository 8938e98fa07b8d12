"""Joint wrenches, each knowing the segments around it and what it means.

Every wrench here is the action of the proximal on the distal segment at the joint centre: the "internal" net joint force and
moment. ``-load.wrench`` is the external convention, and says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.html_repr import html_table
from biomech_id.algebra.wrench import Sense, Wrench
from biomech_id.arguments import a_str, a_word, takes
from biomech_id.conventions import GRAVITY_LAB_M_S2
from biomech_id.dynamics.body import BodyMotion, FootContact, Motion
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.expression import JcsMoment, jcs_component, jcs_projection
from biomech_id.dynamics.external import External
from biomech_id.dynamics.power import rotational_power, translational_power
from biomech_id.errors import InvalidValueError, OptionError, UnknownNameError, near_miss
from biomech_id.values import dataclass, field

#: What anatomists call the segments.
_BONES = {
    "tibia": "shank", "fibula": "shank", "femur": "thigh", "leg": "shank", "calcaneus": "foot", "calcn": "foot", "talus": "foot",
}  # fmt: skip


def _other_word(frame: object, known: Collection[str]) -> str:
    """The nearest segment, a bone's name included."""
    return near_miss(_BONES.get(str(frame).casefold(), frame), known)


@compact_repr
@dataclass(frozen=True, eq=False)
class ChainLoads:
    """Joint wrenches of a chain: action of the proximal neighbour on each segment, laboratory axes.

    Attributes
    ----------
    chain : Chain
        The segments that the wrenches belong to.
    force_lab_N : FloatArray
        (N, n, 3), at each segment's proximal joint centre, N.
    moment_lab_Nm : FloatArray
        (N, n, 3), about each segment's proximal joint centre, N m.
    external : tuple[External, ...], optional
        The wrenches from outside that they were solved with.
    gravity_lab_m_s2 : FloatArray, optional
        Gravity that they were solved with; broadcasts over (N, n, 3), m/s2.
    budget : Mapping[str, ChainLoads] | None, optional
        Part -> `ChainLoads` of that part alone, or None if it was not asked for.
    """

    chain: Chain
    force_lab_N: FloatArray
    moment_lab_Nm: FloatArray
    external: tuple[External, ...] = ()
    gravity_lab_m_s2: FloatArray = field(default_factory=lambda: np.array(GRAVITY_LAB_M_S2))
    budget: Mapping[str, ChainLoads] | None = None

    @property
    def n_lost(self) -> int:
        """Number of frames in which some joint has no load, as next to missing poses and at the ends."""
        return int((~np.isfinite(self.moment_lab_Nm).all(axis=(1, 2))).sum())

    def __getitem__(self, segment: str) -> Wrench:
        """Wrench on a segment at its proximal joint (see `wrench`)."""
        return self.wrench(segment)

    def wrench(self, segment: str) -> Wrench:
        """Wrench on a segment at its proximal joint, laboratory axes.

        Parameters
        ----------
        segment : str
            Name of the segment distal to the joint.

        Returns
        -------
        Wrench
            (N, 3) each, about the proximal joint centre, internal: action of the proximal neighbour on the segment.

        Raises
        ------
        InvalidValueError
            If the chain has no such segment.
        """
        i = self.chain.index(segment)
        return Wrench(self.force_lab_N[:, i], self.moment_lab_Nm[:, i], self.chain.joints_lab_m[i], sense="internal")


@compact_repr
@dataclass(frozen=True, eq=False)
class JointLoad:
    """Force, moment and power at one joint.

    Attributes
    ----------
    side : str
        "L" or "R"; empty for a joint in the middle of the body.
    joint : str
        "ankle", "knee" or "hip"; of the upper body "wrist", "elbow", "shoulder", "waist", "neck".
    wrench : Wrench
        Laboratory axes, about the joint centre, internal: action of the proximal on the distal segment. NaN where the ground's
        wrench on the foot or the motion is not known.
    distal : str
        Name of the segment below the joint, "shank" for the knee.
    proximal : str
        Name of the segment above the joint, "thigh" for the knee.
    motions : Mapping[str, Motion]
        Name -> `Motion` of every segment whose axes `expressed_in` accepts; holds at least those two.
    budget : Mapping[str, Wrench] | None, optional
        Part -> wrench of that part alone, same axes and point; None if it was not asked for.
    """

    side: str
    joint: str
    wrench: Wrench
    distal: str
    proximal: str
    motions: Mapping[str, Motion]
    budget: Mapping[str, Wrench] | None = None

    @property
    def frame_names(self) -> tuple[str, ...]:
        """What `expressed_in` accepts."""
        return ("lab", "proximal", "distal", *self.motions)

    @takes(frame=a_str(), sense=a_word(("internal", "external")))
    def expressed_in(self, frame: str, *, sense: Sense = "internal") -> Wrench:
        """Write the wrench, still about the joint centre, in named axes.

        Parameters
        ----------
        frame : str
            "lab", "proximal", "distal" or the name of a segment: "shank".
        sense : Sense, optional
            "internal", or "external" for its opposite; the result says which it is.

        Returns
        -------
        Wrench
            (n, 3) force and moment in those axes; it knows its frame and sense.

        Raises
        ------
        InvalidValueError
            For a name that is none of these.
        OptionError
            For another sense.
        """
        return self._express(self._in_sense(sense), frame)

    def budget_in(self, frame: str) -> dict[str, Wrench]:
        """Write every part of the budget in named axes (see `expressed_in`).

        Parameters
        ----------
        frame : str
            "lab", the name of one of the joint's two segments, "proximal" or "distal".

        Returns
        -------
        dict[str, Wrench]
            Part -> wrench about the joint centre; empty without a budget.
        """
        return {part: self._express(wrench, frame) for part, wrench in (self.budget or {}).items()}

    def _in_sense(self, sense: Sense) -> Wrench:
        if sense not in ("internal", "external"):
            raise OptionError(
                f"A joint load is internal or external, not {sense!r}.",
                value=sense, expected="'internal' or 'external'", where=f"{self.side} {self.joint}",
            )  # fmt: skip
        return -self.wrench if sense == "external" else self.wrench

    def _express(self, wrench: Wrench, frame: str) -> Wrench:
        if frame == "lab":
            return wrench
        name = {"proximal": self.proximal, "distal": self.distal}.get(frame, frame)
        if name not in self.motions:
            raise InvalidValueError(
                f"The {self.side} {self.joint} load cannot be expressed in {frame!r} axes.{_other_word(frame, self.frame_names)}",
                value=frame, expected=f"one of {', '.join(self.frame_names)}", where=f"{self.side} {self.joint}",
            )  # fmt: skip
        return wrench.expressed_in(name, self.motions[name].frames.R_lab_seg)

    def jcs_projection(self, sequence: str = "yxz", *, sense: Sense = "internal") -> JcsMoment:
        """Moment projected on the axes of the joint coordinate system (see `biomech_id.dynamics.expression`).

        Parameters
        ----------
        sequence : str, optional
            Cardan sequence of the joint's coordinate system.
        sense : Sense, optional
            "internal" for the action of the proximal on the distal segment, "external" for its opposite.

        Returns
        -------
        JcsMoment
            (n, 3), N m; finite even where the joint coordinate system is singular.
        """
        moment = self._in_sense(sense).moment_Nm
        values = jcs_projection(moment, self._axes(self.proximal), self._axes(self.distal), sequence)
        return JcsMoment(values, "jcs_projection", sequence, sense)

    def jcs_component(self, sequence: str = "yxz", *, sense: Sense = "internal") -> JcsMoment:
        """Oblique moment components in the joint coordinate system (see `biomech_id.dynamics.expression`).

        Parameters
        ----------
        sequence : str, optional
            Cardan sequence of the joint's coordinate system.
        sense : Sense, optional
            "internal" for the action of the proximal on the distal segment, "external" for its opposite.

        Returns
        -------
        JcsMoment
            (n, 3), N m; NaN where the joint coordinate system is singular, with one warning.
        """
        moment, where = self._in_sense(sense).moment_Nm, f"{self.side} {self.joint}"
        values = jcs_component(moment, self._axes(self.proximal), self._axes(self.distal), sequence, where=where)
        return JcsMoment(values, "jcs_component", sequence, sense)

    def _axes(self, segment: str) -> FloatArray:
        return self.motions[segment].frames.R_lab_seg

    @cached_property
    def known(self) -> BoolArray:
        """(n,), where the wrench is known:
        the foot's contact and every motion it takes are.
        """
        numbers = np.concatenate([self.wrench.force_N, self.wrench.moment_Nm], axis=1)
        known = np.asarray(np.isfinite(numbers).all(axis=1))
        known.flags.writeable = False
        return known

    @cached_property
    def power_rotational_W(self) -> FloatArray:
        """(n,), W:
        M . (omega_distal - omega_proximal), positive where the joint generates.
        """
        power = rotational_power(self.wrench, self.motions[self.distal], self.motions[self.proximal])
        power.flags.writeable = False
        return power

    @cached_property
    def power_translational_W(self) -> FloatArray:
        """(n,), W:
        F . (v_distal(P) - v_proximal(P)) of the two material points at the joint centre; zero in an ideal joint.
        """
        power = translational_power(self.wrench, self.motions[self.distal], self.motions[self.proximal])
        power.flags.writeable = False
        return power

    @property
    def power_W(self) -> FloatArray:
        """(n,), W:
        all that the joint generates, rotational and translational.
        """
        return self.power_rotational_W + self.power_translational_W


@compact_repr
@dataclass(frozen=True, eq=False)
class JointLoads(Mapping[tuple[str, str], JointLoad]):
    """(side, joint) -> `JointLoad`: ``loads["R", "knee"]``.

    Attributes
    ----------
    loads : Mapping[tuple[str, str], JointLoad]
        The load of each joint, by (side, joint).
    motion : BodyMotion
        The tracked body they were computed from.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot, as they were computed with.
    chain_loads : ChainLoads | None, optional
        The same wrenches as arrays over all segments; None if there is no leg.
    """

    loads: Mapping[tuple[str, str], JointLoad]
    motion: BodyMotion
    contacts: Mapping[str, FootContact]
    chain_loads: ChainLoads | None = None

    def __getitem__(self, key: tuple[str, str]) -> JointLoad:
        """Return the load of a side's joint.

        Raises
        ------
        UnknownNameError
            There is none of that name; the message lists those there are.
        """
        if key not in self.loads:
            there = ", ".join(f'["{side}", "{joint}"]' for side, joint in self.loads)
            raise UnknownNameError(f"There is no joint load {key!r}; there are {there}.", value=key, expected=there, where="loads")
        return self.loads[key]

    def _ipython_key_completions_(self) -> list[tuple[str, str]]:
        return list(self.loads)

    def _repr_html_(self) -> str:
        size = np.linalg.norm
        rows = [
            (" ".join(filter(None, key)), size(load.wrench.moment_Nm, axis=1), size(load.wrench.force_N, axis=1), load.power_W)
            for key, load in self.loads.items()
        ]
        return html_table(f"JointLoads of {self.motion.name}", {}, rows, ("joint", "moment, N m", "force, N", "power, W"))

    @property
    def time_s(self) -> FloatArray:
        """Absolute time of each frame, (n,), seconds."""
        return self.motion.time_s

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.loads)

    def __len__(self) -> int:
        return len(self.loads)
