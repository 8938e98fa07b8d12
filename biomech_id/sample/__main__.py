"""``python -m biomech_id.sample FOLDER [PATTERN]``: write the demonstration subject and its index, walking as a pattern says."""

from __future__ import annotations

import sys

from biomech_id.sample.write import patient, write_index, write_subject

if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "data"
    write_index(target, write_subject(target, patient(sys.argv[2]) if len(sys.argv) > 2 else None))
