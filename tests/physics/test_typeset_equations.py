"""Equations as they are typeset on the source documents' pages, read as formulas and held against the code beside them."""

from __future__ import annotations

import csv
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.skew import skew
from biomech_id.multibody.examples.pendulums import double_pendulum, n_pendulum
from biomech_id.multibody.examples.planar_arm import HandSpring, PlanarArm, beta_of_alpha, theta_of_alpha

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "documents"
LATEX = tomllib.loads((FOLDER / "equations.toml").read_text(encoding="utf-8"))
#: Rounding of sums of some twenty terms of up to 100 N m; a lost sign or factor is larger by ten powers of ten.
ROUNDING = 1e-11
N = 20

Numbers = dict[str, np.ndarray | float]
#: A function, a symbol with its index, a number, an operator or a bracket.
TOKEN = re.compile(
    r"(?P<function>\\(?:sin|cos))"
    r"|(?P<symbol>(?:\\d*dot\s*)?\\?[A-Za-z]+(?:_(?:\{(?:[^{}]|\{[^{}]*\})*\}|\w))?)"
    r"|(?P<number>\d+)|(?P<power>\^\d)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<operator>[-+/])|\s+"
)


def python(latex: str) -> str:
    """LaTeX of sums and products of symbols, with sine, cosine, fractions and squares, as Python over a dictionary ``of``."""
    plain = re.sub(r"\\(?:begin|end)\{aligned\}|\{\}|\\[,;]|&|\\q?quad", " ", latex).replace("\\\\", " ")
    plain = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", plain)
    tokens, at = [], 0
    while at < len(plain):
        match = TOKEN.match(plain, at)
        assert match, f"not read: {plain[at:]!r}"
        if match.lastgroup:
            tokens.append((match.lastgroup, match[0]))
        at = match.end()
    written, closing = "", ""
    for (kind, token), (following, _) in pairwise([*tokens, ("end", "")]):
        if kind == "function":
            closing = ")" if following == "symbol" else ""
            written += token[1:] + "(" * len(closing)
            continue
        written += {"symbol": f"of[{name(token)!r}]", "power": f"**{token[1:]}", "open": "(", "close": ")"}.get(
            kind, token
        ) + closing
        closing = ""
        if kind in ("symbol", "number", "close", "power") and following in ("symbol", "number", "open", "function"):
            written += "*"
    return written


def name(symbol: str) -> str:
    """A symbol as a word: ``\\ddot\\alpha_1`` is ddotalpha_1, ``M_{1,2}`` is M_12."""
    return re.sub(r"[\\{},\s]|mathrm", "", symbol)


def value(latex: str, of: Numbers) -> np.ndarray:
    return np.broadcast_to(eval(python(latex), {"sin": np.sin, "cos": np.cos, "of": of}), (N,))


def matrices(latex: str, of: Numbers) -> list[np.ndarray]:
    """Every matrix of an equation, (N, rows, columns)."""
    bodies = re.findall(r"\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", latex, flags=re.DOTALL)
    rows = [[[value(cell, of) for cell in row.split("&")] for row in body.split("\\\\")] for body in bodies]
    return [np.moveaxis(np.array(matrix), -1, 0) for matrix in rows]


def same(ours: object, theirs: object) -> None:
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=0, atol=ROUNDING)


ARM = PlanarArm(
    np.array([2.3, 1.1, 0.6]), np.array([0.31, 0.26, 0.18]), np.array([0.14, 0.11, 0.08]), np.array([0.019, 0.007, 0.0015]), 9.81
)


@pytest.fixture(scope="module")
def arm_numbers() -> Numbers:
    """Every symbol of the fifth document: what the call beside the equation that solves for it gives."""
    alpha, rate, acceleration = np.random.default_rng(11).uniform(-2, 2, (3, N, 3))
    of: Numbers = {"g": 9.81, "F_S": 6.0, "d_S": 0.04, "pi": np.pi, r"\pi": np.pi}
    names = {"arm": ARM, "alpha": alpha, "rate": rate, "acceleration": acceleration, "spring": HandSpring(6.0, 0.04, "hand_com")}
    with (FOLDER / "items.csv").open(encoding="utf-8", newline="") as stream:
        call = {row["item"]: row["call"] for row in csv.DictReader(stream) if row["document"] == "5"}
    solved = {"x": "3 7 11", "ddotx": "4 8 12", "y": "5 9 13", "ddoty": "6 10 14", "F_x": "21 18 15", "F_y": "22 19 16",
              "T": "23 20 17", "v": "36 37 38", "G": "39 40 41", "T_ext": "42 43 44"}  # fmt: skip
    for symbol, numbers in solved.items():
        for k, number in enumerate(numbers.split(), start=1):
            of[f"{symbol}{k}" if "_" in symbol else f"{symbol}_{k}"] = eval(call[number], {}, names)
    of |= {f"M_{i}{j}": eval(call[str(23 + 3 * i + j)], {}, names) for i in (1, 2, 3) for j in (1, 2, 3)}
    theta, beta = theta_of_alpha(alpha), beta_of_alpha(alpha)
    for k in range(3):
        of |= {
            f"m_{k + 1}": ARM.mass_kg[k],
            f"l_{k + 1}": ARM.length_m[k],
            f"d_{k + 1}": ARM.com_m[k],
            f"I_{k + 1}": ARM.inertia_kgm2[k],
        }
        of |= {f"alpha_{k + 1}": alpha[:, k], f"dotalpha_{k + 1}": rate[:, k], f"ddotalpha_{k + 1}": acceleration[:, k]}
        of |= {f"theta_{k + 1}": theta[:, k], f"beta_{k + 1}": beta[:, k]}
    return of


@pytest.mark.parametrize("number", [n for n in LATEX["5"] if n not in ("2", "24", "24a", "25", "26")])
def test_an_equation_of_the_arm_holds_among_what_the_code_gives(number: str, arm_numbers: Numbers) -> None:
    """Left side less right side, for twenty random postures and motions; (2) and (24) to (26) are written in vectors."""
    lines = re.split(r"\\\\|,\s*&", LATEX["5"][number]) if number == "1" else [LATEX["5"][number]]
    for line in lines:
        first, *others = line.split("=")
        for other in others:
            same(value(first, arm_numbers), value(other, arm_numbers))


def test_the_arms_vectors_are_typeset_in_their_order(arm_numbers: Numbers) -> None:
    """(24a): the matrices as they stand there add up."""
    T, M, a, v, G, T_ext = matrices(LATEX["5"]["24a"], arm_numbers)
    same(T, M @ a + v + G + T_ext)
    assert re.findall(r"(\\ddot\\[a-z]+|[A-Z])_(\d)", LATEX["5"]["25"] + LATEX["5"]["26"]) == [
        (symbol, str(k)) for symbol in ("T", r"\ddot\alpha") for k in (1, 2, 3)
    ]


def test_the_double_pendulum_as_it_is_typeset() -> None:
    """(E1), (E2), (E4), (E5) and (E8) of the third document against `System.terms`."""
    q, w = np.random.default_rng(12).uniform(-3, 3, (2, N, 2))
    (m1, m2), (l1, l2), (M1, M12) = (1.4, 0.6), (0.8, 1.1), (2.5, -0.7)
    system = double_pendulum((m1, m2), (l1, l2), (M1, M12), gravity_m_s2=9.81)
    terms = system.terms(q, w, np.broadcast_to([M1 - M12, M12], q.shape))
    a = terms.accelerations()
    of: Numbers = {"g": 9.81, "m_1": m1, "m_2": m2, "l_1": l1, "l_2": l2, "M_1": M1, "M_12": M12}
    for k in range(2):
        of |= {f"theta_{k + 1}": q[:, k], f"dottheta_{k + 1}": w[:, k], f"omega_{k + 1}": w[:, k], f"ddottheta_{k + 1}": a[:, k]}
    for line in (
        LATEX["3"]["E1"].replace(r"\left(", "(").replace(r"\right)", ")").strip().removesuffix(r"\end{aligned}").split("\\\\")
    ):
        left, right = line.split("=")
        same(value(left, of), value(right, of))
    vectors = {"C": terms.C, "G": terms.G, "Q": terms.Q, "a": a, "w": w, "q": q, "f": terms.C + terms.G + terms.Q}
    of_system = {"M": terms.M, **{letter: vector[..., None] for letter, vector in vectors.items()}}
    for number, order in {"E2": "Maf", "E4": "MaCGQ", "E5": "aMCGQ", "E8": "wMCGQqw"}.items():
        typeset = matrices(LATEX["3"][number], of)
        assert len(typeset) == len(order)
        for letter, matrix in zip(order, typeset, strict=True):
            same(of_system[letter], matrix)


def test_the_matrix_of_the_cross_product_as_it_is_typeset() -> None:
    """(E14) and (E15) of the third document against `skew`."""
    v, w = np.random.default_rng(13).normal(size=(2, N, 3))
    of: Numbers = {f"{letter}_{axis}": vector[:, k] for letter, vector in (("v", v), ("w", w)) for k, axis in enumerate("xyz")}
    same(matrices(LATEX["3"]["E15"], of)[0], skew(v))
    _, _, product, matrix, vector = matrices(LATEX["3"]["E14"], of)
    same(product[..., 0], np.cross(v, w))
    same(matrix @ vector, product)


def test_the_active_forces_of_four_links_as_they_are_typeset() -> None:
    """(1) of the fourth document against gravity's generalised forces, which Kane's equations give as expressions."""
    mass, length = [0.4, 0.7, 0.2, 0.9], [0.5, 0.3, 0.6, 0.4]
    q = np.random.default_rng(14).uniform(-3, 3, (N, 4))
    of: Numbers = {"g": 9.81} | {f"{k}_{i}": x for k, values in (("m", mass), ("l", length)) for i, x in enumerate(values)}
    of |= {f"q_{i}": q[:, i] for i in range(4)}
    same(n_pendulum(mass, length, gravity_m_s2=9.81).terms(q, 0 * q).G, matrices(LATEX["4"]["1"], of)[0][..., 0])


def test_a_lost_sign_is_seen(arm_numbers: Numbers) -> None:
    """The print's own (10), (14) and (31) do not hold."""
    for number, right, printed in (
        ("10", r"\sin\alpha_1 + d_2", r"\sin\alpha_1 - d_2"),
        ("14", r"\sin(\alpha_1 + \alpha_2 + \alpha_3) ] \, 2", r"\cos(\alpha_1 + \alpha_2 + \alpha_3) ] \, 2"),
        ("31", "2 l_2 d_3", "l_2 d_3"),
    ):
        assert right in LATEX["5"][number]
        left, other = LATEX["5"][number].replace(right, printed).split("=")
        assert np.abs(value(left, arm_numbers) - value(other, arm_numbers)).max() > 1e-3
