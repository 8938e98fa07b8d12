"""Sessions that one file of tests builds are used by others beside it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
