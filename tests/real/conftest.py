"""Makes the tests' own C3D parser importable as ``plain_parser``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "exports" / "c3d"))
