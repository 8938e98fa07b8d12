"""The feet of one trial: their points and outline, loads on plates under them, floor, levels, travel, and what the movement is.

In: a trial, and its tracked body where there is one. Out: `feet.Feet`, worked out once a trial by `feet.find_feet`; everything that
asks about feet takes it. A newcomer who wants another kind of movement adds a row to `movements`.
"""
