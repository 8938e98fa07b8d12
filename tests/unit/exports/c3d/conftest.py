"""Makes the tests' own C3D writer and parser importable as ``c3d_builder`` and ``plain_parser``."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "readers"), str(Path(__file__).parent)]
