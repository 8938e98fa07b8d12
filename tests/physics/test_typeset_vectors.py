"""Equations between vectors as they are typeset on the source documents' pages, read and held against the code beside them.

Foot and shank of the third document, (E10) to (E21), against `block_system`; wrenches of the first, (E5) to (E11), against
`observe`.
"""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.algebra.skew import skew
from biomech_id.algebra.wrench import Wrench
from biomech_id.conventions import GRAVITY_LAB_M_S2
from biomech_id.dynamics.block_system import BlockSystem, block_system
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.observer import Observer, observe, relative_motion

EQUATIONS = Path(__file__).resolve().parents[2] / "docs" / "documents" / "equations.toml"
LATEX, WRENCHES = (tomllib.loads(EQUATIONS.read_text(encoding="utf-8"))[document] for document in "31")
#: Rounding of sums of a few terms of up to 1000 N or N m.
ROUNDING = 1e-10
N = 6
INDEX = r"(?:\{(?:\\[{}]|\{\w+\}|[^{}])*\}|\w)"
TOKEN = re.compile(
    rf"(?P<symbol>\\dot\{{\\vec\\omega\}}_\w\^\w|\\overrightarrow\{{GRF\}}\^G|\\vec\s*\\?[a-zA-Z]+(?:_{INDEX})?(?:\^{INDEX})?"
    rf"|(?:\\d*dot\s*)?(?:\\omega|[RImrF])_{INDEX}(?:\{{\}}\^\{{-1\}})?|\\mathbf 1|\b[02]\b|\bg\b)"
    r"|(?P<function>S)(?=\()|(?P<open>\()|(?P<close>\))|(?P<cross>\\times)|(?P<operator>[-+])"
    r"|(?:\s|\\,|&|\\left|\\right|\\(?:begin|end)\{aligned\})+"
)


class Tensor:
    """Scalars (N,), vectors (N, 3) or matrices (N, 3, 3); ``**`` is the product of what they are, ``*`` the cross product."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __neg__(self) -> Tensor:
        return Tensor(-self.array)

    def __add__(self, other: Tensor) -> Tensor:
        return Tensor(self.array + other.array)

    def __sub__(self, other: Tensor) -> Tensor:
        return self + -other

    def __pow__(self, other: Tensor) -> Tensor:
        if self.array.ndim == 1:
            return Tensor(self.array.reshape(-1, *[1] * (other.array.ndim - 1)) * other.array)
        return Tensor(np.einsum("nij,nj...->ni...", self.array, other.array))

    def __mul__(self, other: Tensor) -> Tensor:
        return Tensor(np.cross(self.array, other.array))


def cross_matrix(vector: Tensor) -> Tensor:
    return Tensor(skew(vector.array))


def name(symbol: str) -> str:
    """A symbol as a word: ``\\vec r_{A/F}^G`` is r_A/F^G."""
    return re.sub(r"\\vec|\\overrightarrow|\\mathbf|[\\{}\s]", "", symbol)


def value(latex: str, of: dict[str, Tensor]) -> Tensor:
    tokens, at = [], 0
    while at < len(latex):
        match = TOKEN.match(latex, at)
        assert match, f"not read: {latex[at:]!r}"
        if match.lastgroup:
            tokens.append((match.lastgroup, match[0]))
        at = match.end()
    written = ""
    for (kind, token), (following, _) in pairwise([*tokens, ("end", "")]):
        written += {"symbol": f"of[{name(token)!r}]", "cross": "*"}.get(kind, token)
        if kind in ("symbol", "close") and following in ("symbol", "open", "function"):
            written += "**"
    return eval(written, {"of": of, "S": cross_matrix})


def matrices(latex: str, of: dict[str, Tensor]) -> list[np.ndarray]:
    """Every matrix of an equation, its blocks put together; a zero fits what stands above or below it."""
    found = []
    for body in re.findall(r"\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", latex, flags=re.DOTALL):
        cells = [[value(cell, of).array for cell in row.split("&")] for row in body.split("\\\\")]
        width = 3 if len(cells[0]) > 1 else 1
        blocks = [[np.zeros((N, 3, width)) if cell.ndim == 1 else cell.reshape(N, 3, width) for cell in row] for row in cells]
        found.append(np.block(blocks))
    return found


def same(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ROUNDING)


@pytest.fixture(scope="module")
def ground() -> Wrench:
    """Force on the foot in its centre of pressure; the equations have no free moment."""
    rng = np.random.default_rng(20)
    return Wrench(rng.normal(size=(N, 3)) * 400, np.zeros((N, 3)), rng.normal(size=(N, 3)))


@pytest.fixture(scope="module")
def system(ground: Wrench) -> BlockSystem:
    """Foot and shank in random positions and motions; joints anywhere."""
    rng = np.random.default_rng(21)
    segments, motions, joints = [], [], []
    for segment, mass in (("foot", 1.2), ("shank", 3.5)):
        R, com = Rotation.random(N, random_state=rng).as_matrix(), rng.normal(size=(N, 3))
        segments.append(Segment(segment, mass, np.zeros(3), R[0] @ np.diag([0.02, 0.03, 0.04]) @ R[0].T * mass))
        omega, alpha, velocity, acceleration = rng.normal(size=(4, N, 3)) * 5
        motions.append(Motion(Frames(R, com), omega, alpha, com, velocity, acceleration))
        joints.append(com + rng.normal(size=(N, 3)) / 4)
    return block_system(Chain(segments, motions, joints), [External("foot", ground)])


def turned(R: np.ndarray, vector: np.ndarray) -> np.ndarray:
    return np.einsum("nij,nj->ni", R, vector)


@pytest.fixture(scope="module")
def numbers(system: BlockSystem, ground: Wrench) -> dict[str, Tensor]:
    """Every symbol of the equations, the unknown wrenches as the library solves for them."""
    chain, (force, moment) = system.chain, system.solve()
    R_seg_lab = np.swapaxes(chain.R_lab_seg, 2, 3)
    of = {"0": np.zeros(N), "1": np.broadcast_to(np.eye(3), (N, 3, 3)), "g^G": np.broadcast_to(GRAVITY_LAB_M_S2, (N, 3))}
    of |= {"GRF^G": ground.force_N, "r_cop/F^G": ground.point_lab_m - chain.com_lab_m[:, 0]}
    of["M_GRF^F"] = turned(R_seg_lab[:, 0], np.cross(of["r_cop/F^G"], ground.force_N))
    for k, (body, joint) in enumerate((("F", "A"), ("S", "K"))):
        R = R_seg_lab[:, k]
        of |= {f"m_{body}": np.full(N, chain.mass_kg[k]), f"I_{body}": np.broadcast_to(chain.inertia_kgm2[k], (N, 3, 3))}
        of |= {f"R_{body}": R, f"R_{body}^-1": chain.R_lab_seg[:, k], f"a_{body}^G": chain.com_acceleration_lab_m_s2[:, k]}
        of[f"omega_{body}^{body}"] = turned(R, chain.omega_lab_rad_s[:, k])
        of[f"dotomega_{body}^{body}"] = turned(R, chain.alpha_lab_rad_s2[:, k])
        of[f"F_{joint}^G"] = force[:, k]
        for seen_in, other in enumerate("FS"):
            arm = chain.joint_lab_m[:, k] - chain.com_lab_m[:, seen_in]
            of[f"r_{joint}/{other}^G"] = arm
            of[f"M_{joint}^{other}"] = turned(R_seg_lab[:, seen_in], moment[:, k])
            of[f"M_F_{joint}/{other}^{other}"] = turned(R_seg_lab[:, seen_in], np.cross(arm, force[:, k]))
    return {symbol: Tensor(array) for symbol, array in of.items()}


@pytest.fixture(scope="module")
def numbers_of_segment_i(numbers: dict[str, Tensor]) -> dict[str, Tensor]:
    """The same for the shank as segment i, whose distal joint, i - 1, is the ankle."""
    of = {"0": "0", "1": "1", "g": "g^G", "m_i": "m_S", "I_i": "I_S", "R_i": "R_S", "R_i-1": "R_F", "R_i-1^-1": "R_F^-1",
          "a_i^G": "a_S^G", "omega_i^i": "omega_S^S", "dotomega_i^i": "dotomega_S^S", "F_i^G": "F_K^G", "F_i-1^G": "F_A^G",
          "M_i^i": "M_K^S", "M_i-1^i-1": "M_A^F", "r_i/i^G": "r_K/S^G", "r_i-1/i^G": "r_A/S^G"}  # fmt: skip
    return {symbol: numbers[theirs] for symbol, theirs in of.items()}


@pytest.mark.parametrize("number", ["E10", "E11", "E12", "E20"])
def test_forces_and_moments_balance(number: str, numbers: dict[str, Tensor], numbers_of_segment_i: dict[str, Tensor]) -> None:
    of = numbers_of_segment_i if number == "E20" else numbers
    for line in LATEX[number].split("\\\\"):
        left, right = line.split("=")
        same(value(left, of).array, value(right, of).array)


def test_twelve_rows_balance(numbers: dict[str, Tensor], system: BlockSystem) -> None:
    """(E13) and (E17) to (E19): the parts add up, and the 12x12 matrix is the assembled one."""
    M, a, C, G, E, F = matrices(LATEX["E13"], numbers)
    same(M @ a, C + G + F + E)
    M, a, C, G, F, E = matrices(LATEX["E17"], numbers)
    same(M @ a, C + G + F + E)
    M, a, C, G, A, x, E = matrices(LATEX["E18"], numbers)
    same(A, system.A)
    same(M @ a, C + G + A @ x + E)
    x, A, Ma, C, E, G = matrices(LATEX["E19"], numbers)
    same(A, system.A)
    same(x, np.linalg.solve(A, Ma - C - E - G))
    same((Ma - C - E - G)[..., 0], system.b)


def test_six_rows_balance(numbers_of_segment_i: dict[str, Tensor], system: BlockSystem) -> None:
    """(E21): the rows of the shank are those of the assembled matrix."""
    unknown, right, rows = matrices(LATEX["E21"], numbers_of_segment_i)
    same(rows, system.A[:, 6:12])
    same(rows @ unknown, right)


def test_the_prints_slips_are_seen(numbers: dict[str, Tensor]) -> None:
    """The foot's tensor in the shank's equation, and the moment of the ankle's force without its sign."""
    last = LATEX["E10"].rpartition("\\\\")[2]
    for right, printed in (("I_S", "I_F"), (r"- \vec M_{F_A/S}^S", r"+ \vec M_{F_A/S}^S")):
        assert right in last
        left, other = last.replace(right, printed).split("=")
        assert np.abs(value(left, numbers).array - value(other, numbers).array).max() > 0.1


@pytest.fixture(scope="module")
def observer() -> Observer:
    """A frame that turns and accelerates at random."""
    rng = np.random.default_rng(22)
    frames = Frames(Rotation.random(N, random_state=rng).as_matrix(), rng.normal(size=(N, 3)))
    return Observer("A", frames, *rng.normal(size=(4, N, 3)) * 3)


@pytest.fixture(scope="module")
def seen(system: BlockSystem, observer: Observer) -> dict[str, Tensor]:
    """Symbols of the first document for the shank, as seen from the observer."""
    chain = system.chain
    R, R_seg = np.swapaxes(observer.frames.R_lab_seg, 1, 2), chain.R_lab_seg[:, 1]
    R_A_seg = R @ R_seg
    r, velocity, acceleration = (part[:, 1] for part in relative_motion(chain, observer))
    of = {"2": np.full(N, 2.0), "m_i": np.full(N, chain.mass_kg[1]), "R_AS": R, "g": np.broadcast_to(GRAVITY_LAB_M_S2, (N, 3))}
    of |= {"r_JCA": r, "dotr_JCA": velocity, "ddotr_JCA": acceleration, "ddotr_OJS": observer.origin_acceleration_lab_m_s2}
    of |= {"dotomega_SA": observer.omega_lab_rad_s, "ddotomega_SA": observer.alpha_lab_rad_s2}
    of |= {"dotomega_SB": chain.omega_lab_rad_s[:, 1], "ddotomega_SB": chain.alpha_lab_rad_s2[:, 1]}
    of["I_iCA"] = R_A_seg @ chain.inertia_kgm2[1] @ np.swapaxes(R_A_seg, 1, 2)
    of["r_PCA"] = turned(R, chain.com_lab_m[:, 1] - chain.joint_lab_m[:, 1])
    return {symbol: Tensor(array) for symbol, array in of.items()}


def force_and_moment(number: str, of: dict[str, Tensor]) -> list[np.ndarray]:
    """Both parts of a wrench that is typeset as a bracket with a semicolon."""
    bracket = WRENCHES[number].partition(r"\left[")[2].rpartition(r"\right]")[0]
    parts = re.split(r"\\; ; \\quad", bracket)
    return [np.zeros((N, 3)) if part.strip() == "0" else value(part, of).array for part in parts]


@pytest.mark.parametrize(
    ("number", "part"),
    [("E5", "dynamic"), ("E7", "dalembert"), ("E8", "euler"), ("E9", "centrifugal"), ("E10", "coriolis"), ("E11", "gravity")],
)
def test_a_wrench_is_the_observed_one(
    number: str, part: str, seen: dict[str, Tensor], system: BlockSystem, observer: Observer
) -> None:
    ours = getattr(observe(system.chain, observer)["shank"], part).about(system.chain.com_lab_m[:, 1])
    force, moment = force_and_moment(number, seen)
    # (E11) is written in the laboratory's axes, the others in the observer's.
    same(turned(seen["R_AS"].array, force) if part == "gravity" else force, ours.force_N)
    same(moment, ours.moment_Nm)


def test_a_wrench_moves_to_the_joint(seen: dict[str, Tensor], system: BlockSystem, observer: Observer) -> None:
    """(E6): what is added to the moment, and the rotation in front."""
    ours = observe(system.chain, observer)["shank"].dynamic
    at_com = ours.about(system.chain.com_lab_m[:, 1])
    nothing, added = force_and_moment("E6", seen | {"F_mathrmdynA": Tensor(ours.force_N)})
    same(nothing, 0 * added)
    same(at_com.moment_Nm + added, ours.moment_Nm)
    assert r"= R_{SA} \left(" in WRENCHES["E6"]
