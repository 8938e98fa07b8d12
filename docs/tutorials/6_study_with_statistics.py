"""A study with statistics

Two conditions, a change, and how sure it is: the library says which part of a difference is more than a new placement of the markers would make.
"""

# %% Two sessions
# The same person at two speeds, as two visits.
import biomech_id as bid

people = [bid.virtual_subject(speed_m_s=speed_m_s) for speed_m_s in (1.0, 1.3)]
before, after = (bid.analyse([person.static().trial, person.walk().trial], report=False) for person in people)

# %% Over each other
# Bars at the foot of each panel: where the curves differ by more than cycles do, and by more than two sessions would of themselves.
bid.plot.compare([before, after], "AnklePower", names=["1.0 m/s", "1.3 m/s"])

# %% A table for a statistics package
# One row a session, parameter and side; write it as CSV, or go on with pandas.
import pandas as pd

rows = pd.concat({"slow": before.spatiotemporal, "usual": after.spatiotemporal}, names=["condition"]).reset_index(level=0)
means = rows.groupby(["parameter", "condition"])["value"].mean().unstack()
means.loc[["cadence", "stride_length"]].round(2)

# %% How sure is a number?
# `sd` is the standard deviation of one value, from markers, body and plates; a change should be larger than what two of them make together.
power = {name: one.peaks.query("variable == 'AnklePower' and side == 'R'") for name, one in (("slow", before), ("usual", after))}
pd.concat(power)[["name", "percent", "value", "sd"]].round(2)

# %% Many subjects
# `biomech-id batch STUDY -o OUT` runs every folder of a study with several workers and joins the tables; `biomech-id norm OUT -o norm.csv` makes
# a reference band of it, and `--norm norm.csv` tests a person against that band, whole curves included.
len(before.cycles)
