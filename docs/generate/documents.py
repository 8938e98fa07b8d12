"""Every key of the JSON files under OUT, those included whose names another room's table gives."""

from __future__ import annotations

from dataclasses import replace

from biomech_id.schema.documents import DOCUMENTS, Document, Key
from biomech_id.uncertainty.sizes import ERROR_SIZES

#: Key that stands for one of each error.
ERROR_KEY = "error_sizes.<error>"


def all_documents() -> tuple[Document, ...]:
    """Return `DOCUMENTS` with a key for each error of the uncertainty in place of ``<error>``."""
    sizes = tuple(Key(ERROR_KEY.replace("<error>", size.name), size.what) for size in ERROR_SIZES)
    return tuple(
        replace(document, keys=tuple(each for key in document.keys for each in (sizes if key.path == ERROR_KEY else (key,))))
        for document in DOCUMENTS
    )
