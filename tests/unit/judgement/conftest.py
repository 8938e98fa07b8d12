"""Makes the tests' own C3D writer importable as ``c3d_builder``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "readers"))
