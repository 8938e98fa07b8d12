"""Chains with known answers, for the tests of mechanics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External

LEG = ("foot", "shank", "thigh")
#: Place of each segment in the reference's own lists, which run proximal to distal.
PLACE = {"thigh": 0, "shank": 1, "foot": 2}


class ReferenceLeg:
    """One data set of the 3-D thigh-shank-foot reference as the values the solver takes, and as the file states it."""

    def __init__(self, file: Any, name: str) -> None:
        self.data, self.model, self.name = file[name], file["model"], name
        self.n = len(self.data["t"])
        self.motions = {s: self._motion(self.data["segments"][s]) for s in LEG}
        self.pelvis = Motion(
            Frames(self.array("pelvis_R"), self.array("pelvis_p")),
            self.array("pelvis_omega"), self.array("pelvis_alpha"),
            self.array("pelvis_p"), self.array("pelvis_v"), self.array("pelvis_a"),
        )  # fmt: skip
        self.segments = {
            s: Segment(s, self.model["mass"][i], np.array(self.model["com_local"][i]), np.array(self.model["I_local"][i]))
            for s, i in PLACE.items()
        }
        joints = [np.array(self.data["segments"][s]["origin"]) for s in LEG]
        self.chain = Chain([self.segments[s] for s in LEG], [self.motions[s] for s in LEG], joints)
        self.ground = Wrench(self.array("tip_F"), self.array("tip_T"), self.array("tip_p"))
        self.external = (External("foot", self.ground),)

    def array(self, name: str) -> np.ndarray:
        return np.array(self.data[name])

    def of(self, name: str) -> np.ndarray:
        """One quantity of every segment (n_frames, 3, 3), distal first."""
        return np.stack([np.array(self.data["segments"][s][name]) for s in LEG], axis=1)

    def parent(self, segment: str) -> Motion:
        return {"foot": self.motions["shank"], "shank": self.motions["thigh"], "thigh": self.pelvis}[segment]

    @staticmethod
    def _motion(s: Any) -> Motion:
        keys = ("omega", "alpha", "com", "v_com", "a_com")
        return Motion(Frames(np.array(s["R"]), np.array(s["origin"])), *(np.array(s[key]) for key in keys))


@pytest.fixture(scope="session")
def chain3d_file(reference: Any) -> Any:
    return reference("chain3d")


@pytest.fixture(scope="session", params=["ideal", "six_dof"])
def leg(request: pytest.FixtureRequest, chain3d_file: Any) -> ReferenceLeg:
    """The leg with ideal joints, and with joints that translate."""
    return ReferenceLeg(chain3d_file, request.param)


@pytest.fixture(scope="session")
def ideal_leg(chain3d_file: Any) -> ReferenceLeg:
    return ReferenceLeg(chain3d_file, "ideal")
