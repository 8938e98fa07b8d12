"""Markers in space, plotted

One frame of a recording from the side and the front.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Example
bid.plot.skeleton(walk, 100)
