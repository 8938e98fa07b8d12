"""Error messages that propose a name

Every error names the value, what was expected and where; names that are nearly right are proposed.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Example
try:
    walk.markers["LASi"]
except bid.BiomechError as error:
    print(error.message, "|", error.expected[:30])
bid.__version__
