"""Results written to a folder and read back

A folder of tables, and the same result from it.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
result = bid.analyse([static, walk], report=False, uncertainty=False)
import tempfile
folder = tempfile.mkdtemp() + "/anna"

# %% Example
result.write(folder)
bid.read_folder(folder)
