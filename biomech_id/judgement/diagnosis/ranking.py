"""Which cause explains the residuals: whitened signatures, the evidence of single causes, of blocks and of exchanges.

With the whitened signature S, the whitened residuals w, the prior size N(0, tau^2), n2 = S'S and K causes::

    size = S'w / n2,   SD = 1 / sqrt(n2),   l = (S'w)^2 tau^2 / (2 (1 + n2 tau^2)) - ln(1 + n2 tau^2) / 2 - ln K

and for a block of several numbers, A = S tau, G = 1 + A'A, b = A'w: l = b'G^-1 b / 2 - ln det G / 2 - ln K. l orders causes; it
is no chance (normal tails, 18 people).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.judgement.diagnosis.causes import Possible
from biomech_id.judgement.diagnosis.of_legs import ResidualValues
from biomech_id.judgement.diagnosis.residuals import JudgedWalk, changed_units, residuals
from biomech_id.judgement.diagnosis.spread import ResidualSpread
from biomech_id.judgement.diagnosis.typical import typical_signatures
from biomech_id.values import dataclass

#: A cause is put in at this share of its common size for its signature.
SMALL_SHARE = 0.1
#: Least evidence of what is told.
LEAST_EVIDENCE = 4.0
ResidualKey = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Whitening:
    """What whitens the residuals of one session, n of them.

    Attributes
    ----------
    keys : tuple[ResidualKey, ...]
        Residual and unit.
    mean : FloatArray
        (n,), expected.
    root : FloatArray
        (n, n), lower triangular: the covariance is root root'.
    """

    keys: tuple[ResidualKey, ...]
    mean: FloatArray
    root: FloatArray

    @classmethod
    def of(cls, values: ResidualValues, spread: ResidualSpread) -> Whitening:
        """Return the scale of the residuals of one session.

        Parameters
        ----------
        values : ResidualValues
            Its residuals; those that the spread does not know are left out.
        spread : ResidualSpread
            What untouched sessions show.
        """
        keys = tuple(key for key in values if key[0] in spread.names)
        mean, covariance = spread.expected(keys)
        return cls(keys, mean, np.asarray(np.linalg.cholesky(covariance)))

    def white(self, change: FloatArray) -> FloatArray:
        """Return changes of residuals in independent SDs.

        Parameters
        ----------
        change : FloatArray
            (n, ...), residuals less what is expected, or what a cause adds.

        Returns
        -------
        FloatArray
            The same shape.
        """
        return np.asarray(self.inverse @ change)

    @cached_property
    def inverse(self) -> FloatArray:
        """(n, n), of ``root``."""
        return np.asarray(np.linalg.inv(self.root))

    def most_gain(self, white: FloatArray, units: Container[str], known: FloatArray | None = None) -> float:
        """Return by how much r' Cov^-1 r can fall at most where nothing but the residuals of some units changes.

        Parameters
        ----------
        white : FloatArray
            (n,), whitened residuals.
        units : Container[str]
            "L", "R", numbers of plates, "" for the session.
        known : FloatArray | None, optional
            (n, m), whitened signatures along which others change too.
        """
        along = self.inverse[:, [unit in units for _, unit in self.keys]]
        if known is not None:
            along = np.hstack([along, known])
        if along.shape[1] >= len(white):
            return float(white @ white)
        orthogonal = np.linalg.qr(along)[0]
        return float(np.sum((orthogonal.T @ white) ** 2))

    def residual(self, values: ResidualValues, instead: ResidualValues) -> FloatArray:
        """Return residuals less what is expected, (n,).

        Parameters
        ----------
        values : ResidualValues
            Residuals of the session.
        instead : ResidualValues
            What counts where ``values`` has no verdict.
        """
        return np.array([values.get(key, instead[key]) for key in self.keys]) - self.mean

    def misfit(self, values: ResidualValues, instead: ResidualValues) -> float:
        """Return r' Cov^-1 r (parameters as of `residual`)."""
        white = self.white(self.residual(values, instead))
        return float(white @ white)


def signatures(judged: JudgedWalk, causes: Sequence[Possible], keys: Sequence[ResidualKey]) -> FloatArray:
    """Return what every cause adds to the residuals.

    Parameters
    ----------
    judged : JudgedWalk
        The session as it is.
    causes : Sequence[Possible]
        K causes.
    keys : Sequence[ResidualKey]
        n residuals.

    Returns
    -------
    FloatArray
        (n, K), residuals' units per unit of size.
    """
    return np.stack([_signature(judged, one, keys) for one in causes], axis=1)


def _signature(judged: JudgedWalk, one: Possible, keys: Sequence[ResidualKey]) -> FloatArray:
    if one.at is not None:
        return np.array([one.at.get(key, 0.0) for key in keys])
    step = SMALL_SHARE * one.row.tau
    changed = one.into(judged.session, step)
    assert changed is not None  # `possible` asked
    after, before = residuals(changed, judged).values, judged.values
    return np.array([(after.get(key, before[key]) - before[key]) / step for key in keys])


class WalkSignatures:
    """Whitened signatures of causes in one walk: typical ones until somebody asks for the walk's own.

    Parameters
    ----------
    judged : JudgedWalk
        The session as it is.
    causes : Sequence[Possible]
        K causes.
    scale : Whitening
        Of its n residuals.

    Attributes
    ----------
    white : FloatArray
        (n, K), SDs per unit of size; zero where there is neither.
    own, typical : BoolArray
        (K,), whose signatures are the walk's own, and who has a typical one.
    """

    def __init__(self, judged: JudgedWalk, causes: Sequence[Possible], scale: Whitening) -> None:
        # What was taken off directly comes back with a leg or plate that is worked out anew, and is no part of a signature.
        self._judged = judged if judged.as_recorded else residuals(judged.session)
        self._causes, self._scale = causes, scale
        typical = typical_signatures(judged.session, causes, scale.keys)
        self.typical: BoolArray = np.asarray(~np.isnan(typical).any(axis=0))
        self.white, self.own = scale.white(np.where(self.typical, typical, 0.0)), np.zeros(len(causes), bool)
        self._units: dict[int, frozenset[str]] = {}
        self.ask(place for place, one in enumerate(causes) if one.at is not None)

    def ask(self, places: Iterable[int]) -> None:
        """Work out the walk's own signatures.

        Parameters
        ----------
        places : Iterable[int]
            Of causes.
        """
        new = [place for place in places if not self.own[place]]
        if new:
            asked = signatures(self._judged, [self._causes[place] for place in new], self._scale.keys)
            self.white[:, new], self.own[new] = self._scale.white(asked), True

    def units(self, place: int) -> frozenset[str]:
        """Return whose residuals a cause changes.

        Parameters
        ----------
        place : int
            Of a cause that is put into the session.

        Returns
        -------
        frozenset[str]
            "L", "R", numbers of plates, "" for the session.
        """
        if place not in self._units:
            one = self._causes[place]
            changed = one.into(self._judged.session, SMALL_SHARE * one.row.tau)
            assert changed is not None  # `possible` asked
            self._units[place] = changed_units(changed, self._judged)
        return self._units[place]


@dataclass(frozen=True, eq=False)
class Single:
    """Evidence of K causes taken one by one.

    Attributes
    ----------
    size, sd, evidence : FloatArray
        (K,), in the causes' units; l.
    """

    size: FloatArray
    sd: FloatArray
    evidence: FloatArray


def single(S: FloatArray, w: FloatArray, tau: FloatArray, one_sided: FloatArray, n_causes: int) -> Single:
    """Return the evidence of single causes.

    Parameters
    ----------
    S : FloatArray
        (n, K), whitened signatures.
    w : FloatArray
        (n,), whitened residuals.
    tau : FloatArray
        (K,), common sizes.
    one_sided : FloatArray
        (K,), 1 where a size is positive, else 0.
    n_causes : int
        Among how many.
    """
    n2, b = np.sum(S**2, axis=0), S.T @ w
    with np.errstate(divide="ignore", invalid="ignore"):
        size, sd = np.where(n2 > 0, b / n2, 0.0), 1.0 / np.sqrt(n2)
    gain = n2 * tau**2
    evidence = (b * tau) ** 2 / (2.0 * (1.0 + gain)) - 0.5 * np.log1p(gain) - np.log(n_causes)
    return Single(size, sd, np.where((one_sided > 0) & (size < 0), -np.inf, evidence))


def least_sizes(sd: FloatArray, tau: FloatArray, n_causes: int) -> FloatArray:
    """Return the sizes of causes whose expected evidence is `LEAST_EVIDENCE`: told in half of the cases.

    Parameters
    ----------
    sd, tau : FloatArray
        (K,), SDs and common sizes.
    n_causes : int
        Among how many.
    """
    gain = (tau / sd) ** 2
    needed = LEAST_EVIDENCE + np.log(n_causes) + 0.5 * np.log1p(gain)
    return np.asarray(np.sqrt(2.0 * (1.0 + gain) * needed) * sd**2 / tau)


def block(S: FloatArray, w: FloatArray, tau: FloatArray, n_causes: int) -> tuple[float, FloatArray]:
    """Return the evidence of several numbers at once, and their sizes.

    Parameters
    ----------
    S : FloatArray
        (n, m), whitened signatures of the block.
    w : FloatArray
        (n,), whitened residuals.
    tau : FloatArray
        (m,), common sizes.
    n_causes : int
        Among how many.
    """
    A = S * tau
    G, b = np.eye(A.shape[1]) + A.T @ A, A.T @ w
    fitted = np.linalg.solve(G, b)
    return float(0.5 * b @ fitted - 0.5 * np.linalg.slogdet(G)[1] - np.log(n_causes)), tau * fitted
