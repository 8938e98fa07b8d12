"""Array types of this room: numbers in double precision, or in any other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]
#: float64, or object holding numbers of another precision.
Array = NDArray[Any]
