"""``python -m biomech_id.sample FOLDER``: write the demonstration subject and its index."""

from __future__ import annotations

import sys

from biomech_id.sample.write import write_index, write_subject

if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "data"
    write_index(target, write_subject(target))
