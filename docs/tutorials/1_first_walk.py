"""A first walk, from files to a figure

A folder with a static trial and walks is all that the main job needs. Here the virtual subject lends its recordings; put the folder of your
own session in the place of `session`.
"""

# %% The recordings
# `write_subject` leaves C3D files as a motion capture system would: a static trial and walks over force plates.
import tempfile
from pathlib import Path

import biomech_id as bid
from biomech_id.sample.write import write_subject

session = Path(tempfile.mkdtemp()) / "anna"
write_subject(session)
sorted(path.name for path in session.glob("*.c3d"))

# %% One call
# `analyse` finds the static trial, calibrates the body model on it, fills gaps, filters what nobody has filtered, finds events, decides which
# foot stands cleanly on which plate, and solves the equations of motion. What it left out, it says.
result = bid.analyse(session, exclude=("turn*", "walk0[23]*"), report=False)
result.verdict

# %% Look at a curve
# Left and right, every cycle and their mean. Without an accepted plate there is no moment, so moments may have fewer cycles than angles.
bid.plot.curve(result, "KneeMoment.X")

# %% Numbers
# Tables are DataFrames; `attrs["units"]` says the unit of every column. Peaks carry their standard deviation.
peaks = result.peaks
peaks[peaks["variable"] == "KneeMoment"].head()

# %% Keep it
# The folder that `write` makes is what `biomech-id run` would have written, and `read_folder` returns the same result.
again = bid.read_folder(result.write(session / "results"))
again.cycles.shape == result.cycles.shape
