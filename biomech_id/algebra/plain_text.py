"""Texts without what keyboards of different countries write differently."""

from __future__ import annotations

import unicodedata


def without_accents(text: str) -> str:
    """Return a text without accents, with ss for a sharp s; its letters keep their case.

    Parameters
    ----------
    text : str
        Any text, in any language that Latin letters write.

    Examples
    --------
    >>> from biomech_id.algebra.plain_text import without_accents
    >>> without_accents("Körpergröße")
    'Korpergrosse'
    """
    return "".join(c for c in unicodedata.normalize("NFKD", text.replace("ß", "ss")) if not unicodedata.combining(c))
