"""Read-only, validated arrays: how every value type of this package stores its numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biomech_id.errors import ShapeError, WrongTypeError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]


def float_array(values: ArrayLike, *, name: str, where: str = "") -> FloatArray:
    """Make a float64 array of any shape.

    Parameters
    ----------
    values : ArrayLike
        Anything NumPy can turn into a float array.
    name : str
        Of the field or argument, for the error message.
    where : str, optional
        The value or function that it belongs to, for the error message.

    Returns
    -------
    FloatArray
        ``values`` itself where it is one already.

    Raises
    ------
    WrongTypeError
        It holds something else than numbers, or rows of different length.

    Examples
    --------
    >>> from biomech_id.algebra.arrays import float_array
    >>> float_array([[0, 0, 9.81]], name="force_N").dtype
    dtype('float64')
    """
    try:
        if values is None or isinstance(values, str | bytes):
            raise TypeError(type(values).__name__)
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as reason:
        given = type(values).__name__
        raise WrongTypeError(
            f"{where or 'The call'} takes numbers as {name}, in an array or in lists of one length, not a {given} ({reason}).",
            value=given, expected="an array of numbers", where=where or name,
        ) from reason  # fmt: skip


def keep_array(
    value: object, name: str, shape: tuple[int | None, ...], *, where: str = "", make: Callable[..., FloatArray] | None = None
) -> FloatArray:
    """Check an array field of a frozen value and keep it read-only.

    Parameters
    ----------
    value : object
        The value, while it is being made.
    name : str
        Name of its field, which holds anything NumPy can turn into a float array.
    shape : tuple[int | None, ...]
        Expected shape; ``None`` accepts any length on that axis.
    where : str, optional
        What error messages call the value; "" for its type.
    make : Callable[..., FloatArray] | None, optional
        `readonly_column_major` for arrays that are worked on for all frames at once; None for `readonly`.

    Returns
    -------
    FloatArray
        What the field holds now.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from biomech_id.algebra.arrays import keep_array
    >>> plate = SimpleNamespace(force_lab_N=[[0, 0, 700]])
    >>> keep_array(plate, "force_lab_N", (None, 3), where="plate 1")
    array([[  0.,   0., 700.]])
    """
    array = (make or readonly)(getattr(value, name), shape, name=name, where=where or type(value).__name__)
    object.__setattr__(value, name, array)
    return array


def all_finite(values: FloatArray, axis: int | tuple[int, ...] = -1) -> BoolArray:
    """Find where every number along an axis is there.

    Parameters
    ----------
    values : FloatArray
        Any shape; missing is NaN.
    axis : int | tuple[int, ...], optional
        Along which; the components of a vector unless another is given.

    Returns
    -------
    BoolArray
        The shape of ``values`` without that axis; False where one of the numbers is missing or infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.arrays import all_finite
    >>> all_finite(np.array([[0.1, 0.2, 0.3], [0.1, np.nan, 0.3]]))
    array([ True, False])
    """
    return np.asarray(np.isfinite(values).all(axis=axis))


def over_seen(statistic: Callable[..., Any], values: ArrayLike, axis: int | None = None) -> Any:
    """Take a statistic of what is seen, as NumPy's ``nan`` functions do, without a warning where nothing is.

    Parameters
    ----------
    statistic : Callable[..., Any]
        ``np.nanmean``, ``np.nanmedian`` or another function of an array and an axis.
    values : ArrayLike
        Any shape; missing is NaN.
    axis : int | None, optional
        Along which; None for all values.

    Returns
    -------
    Any
        ``values`` without that axis, or one number for None; NaN where nothing is seen.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.arrays import over_seen
    >>> over_seen(np.nanmean, [[1.0, np.nan], [3.0, np.nan]], axis=0)
    array([ 2., nan])
    """
    array = np.asarray(values, dtype=np.float64)
    missing = np.isnan(array)
    if statistic is np.nanmean and array.size and not missing.any():
        return array.mean(axis=axis)  # the same sum over the same number, without a copy and a mask
    nothing = missing.all(axis=axis)
    if not np.any(nothing):
        return statistic(array, axis=axis)
    if np.all(nothing):
        return np.full(np.shape(nothing), np.nan) if np.ndim(nothing) else float("nan")
    assert axis is not None
    kept = statistic(np.where(np.expand_dims(nothing, axis), 0.0, array), axis=axis)
    return np.where(nothing, np.nan, kept)


def percentiles_seen(values: ArrayLike, percents: Sequence[float]) -> FloatArray:
    """Percentiles over the first axis of what is seen.

    The same as ``numpy.nanpercentile``, for all columns at once.

    Parameters
    ----------
    values : ArrayLike
        (n, ...); missing is NaN.
    percents : Sequence[float]
        (k,), 0 to 100.

    Returns
    -------
    FloatArray
        (k, ...), in the unit of ``values``; NaN where nothing is seen.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.arrays import percentiles_seen
    >>> percentiles_seen([[1.0, 5.0], [np.nan, 6.0], [2.0, 7.0]], [50.0])
    array([[1.5, 6. ]])
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64), axis=0)
    last = np.isfinite(ordered).sum(axis=0) - 1
    place = np.multiply.outer(np.asarray(percents) / 100.0, np.maximum(last, 0))
    below = np.floor(place).astype(np.intp)
    low, high = (np.take_along_axis(ordered, at, axis=0) for at in (below, np.minimum(below + 1, np.maximum(last, 0))))
    return np.where(last >= 0, low + (place - below) * (high - low), np.nan)


def median_seen(values: ArrayLike) -> FloatArray:
    """Median over the first axis of what is seen; unlike ``numpy.nanmedian`` it loads no masked arrays.

    Parameters
    ----------
    values : ArrayLike
        (n, ...); missing is NaN.

    Returns
    -------
    FloatArray
        (...), in the unit of ``values``; NaN where nothing is seen.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.arrays import median_seen
    >>> float(median_seen([1.0, np.nan, 4.0]))
    2.5
    """
    rows = np.asarray(values, dtype=np.float64)
    return percentiles_seen(rows, (50.0,))[0] if len(rows) else np.full(rows.shape[1:], np.nan)


def readonly(values: ArrayLike, shape: tuple[int | None, ...], *, name: str, where: str = "") -> FloatArray:
    """Make a read-only float64 array of a given shape.

    Parameters
    ----------
    values : ArrayLike
        Anything NumPy can turn into a float array. It is copied only when it is writable or not float64.
    shape : tuple[int | None, ...]
        Expected shape; ``None`` accepts any length on that axis.
    name : str
        Of the field or argument, for the error message.
    where : str, optional
        The value or function that it belongs to, for the error message.

    Returns
    -------
    FloatArray
        ``values`` itself where it is read-only and float64, else a copy.

    Raises
    ------
    ShapeError
        If the number of axes or a fixed length differs; the message names both shapes.

    Examples
    --------
    >>> from biomech_id.algebra.arrays import readonly
    >>> readonly([[0, 0, 9.81]], (None, 3), name="force_N").shape
    (1, 3)
    """
    array = float_array(values, name=name, where=where)
    _check_shape(array, shape, name, where)
    return _frozen(array, values) if array.flags.writeable else array


def readonly_mask(values: ArrayLike, shape: tuple[int | None, ...], *, name: str, where: str = "") -> BoolArray:
    """Make a read-only boolean array of a given shape (see `readonly`).

    Parameters
    ----------
    values : ArrayLike
        Anything NumPy can turn into an array.
    shape : tuple[int | None, ...]
        Expected shape; ``None`` accepts any length on that axis.
    name : str
        Of the field, for the error message.
    where : str, optional
        The value that the field belongs to, for the error message.

    Returns
    -------
    BoolArray
        ``values`` itself where it is read-only and boolean, else a copy.

    Examples
    --------
    >>> from biomech_id.algebra.arrays import readonly_mask
    >>> readonly_mask([True, False], (2,), name="known")
    array([ True, False])
    """
    array = np.asarray(values if isinstance(values, np.ndarray) else float_array(values, name=name, where=where), dtype=np.bool_)
    _check_shape(array, shape, name, where)
    return _frozen(array, values)


def _frozen(array: NDArray[Any], source: object) -> NDArray[Any]:
    if array.flags.writeable:
        # A caller who keeps the original must not be able to change our value through it.
        array = array.copy() if array is source or array.base is not None else array
        array.flags.writeable = False
    return array


def readonly_column_major(values: ArrayLike, shape: tuple[int | None, ...], *, name: str, where: str = "") -> FloatArray:
    """Like `readonly`, but stored column-major: one component over all frames is contiguous.

    Arrays that are worked on for all frames at once are kept so (see `biomech_id.algebra.vectors`).

    Parameters
    ----------
    values : ArrayLike
        Anything NumPy can turn into an array.
    shape : tuple[int | None, ...]
        Expected shape; ``None`` accepts any length on that axis.
    name : str
        Of the field, for the error message.
    where : str, optional
        The value that the field belongs to, for the error message.

    Returns
    -------
    FloatArray
        ``values`` itself where it is so already, else a copy.
    """
    array = float_array(values, name=name, where=where)
    _check_shape(array, shape, name, where)
    if array.flags.writeable or not array.flags.f_contiguous:
        array = array.copy(order="F")
        array.flags.writeable = False
    return array


def _check_shape(array: NDArray[Any], shape: tuple[int | None, ...], name: str, where: str) -> None:
    if array.ndim == len(shape):
        for have, want in zip(array.shape, shape, strict=True):
            if want is not None and have != want:
                break
        else:
            return
    expected = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"
    raise ShapeError(
        f"{name}{' of ' + where if where else ''} has shape {array.shape}, expected {expected}.",
        value=array.shape,
        expected=expected,
        where=where or name,
    )


def stacked(parts: Sequence[FloatArray]) -> FloatArray:
    """Stack arrays of N frames along a new second axis.

    Parameters
    ----------
    parts : Sequence[FloatArray]
        One array (N, ...) for each segment.

    Returns
    -------
    FloatArray
        (N, n, ...), column-major, read-only.
    """
    first = parts[0]
    stack = np.empty((len(first), len(parts), *first.shape[1:]), order="F")
    for i, part in enumerate(parts):
        stack[:, i] = part
    stack.flags.writeable = False
    return stack


def sha256_of_arrays(arrays: Iterable[FloatArray]) -> str:
    """Return the SHA-256 of shapes and numbers of several arrays, the same on every machine.

    Parameters
    ----------
    arrays : Iterable[FloatArray]
        In an order that is always the same.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.arrays import sha256_of_arrays
    >>> sha256_of_arrays([np.zeros(3)]) == sha256_of_arrays([np.zeros((3, 1))])
    False
    """
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(str(array.shape).encode() + np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()
