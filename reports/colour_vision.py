"""What a page looks like to colour-blind eyes and in grey print.

Colour vision deficiency: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A physiologically-based model for simulation of color
vision deficiency", IEEE Trans. Vis. Comput. Graph. 15 (2009) 1291: a matrix on linear RGB for each kind, here at full severity.
Grey print: relative luminance of sRGB (IEC 61966-2-1).
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray

_MACHADO: dict[str, tuple[tuple[float, float, float], ...]] = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
_LUMINANCE = (0.2126, 0.7152, 0.0722)
#: Ways of seeing that `simulate_colour_vision` knows.
KINDS: tuple[str, ...] = (*_MACHADO, "grey")


def simulate_colour_vision(kind: str, rgb: FloatArray) -> FloatArray:
    """Turn a picture into what is seen of it.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    rgb : FloatArray
        (..., 3), sRGB, 0 to 1.

    Returns
    -------
    FloatArray
        (..., 3), sRGB, 0 to 1.
    """
    matrix = np.tile(_LUMINANCE, (3, 1)) if kind == "grey" else np.asarray(_MACHADO[kind])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ matrix.T, 0.0, 1.0)
    return np.asarray(np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * seen ** (1 / 2.4) - 0.055))
