"""Tables with units: pandas DataFrames

Any value as a DataFrame with time and units, and a recording made of one.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Example
table = bid.to_dataframe(walk)
again = bid.from_dataframe(table)
table.attrs["units"]["LHEE.X"], again.rate_hz
