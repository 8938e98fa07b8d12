"""``python -m benchmarks.studies [renamed_markers ...]``: every study, or those named; each writes its table beside its module."""

import sys

from benchmarks.__main__ import main

sys.exit(main(sys.argv[1:], "benchmarks.studies"))
