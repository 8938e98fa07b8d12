"""A batch of subjects

Several folders of recordings, one result each: a loop over folders is a batch; the command `biomech-id batch` does the
same with workers.
"""

# %% What you have
import biomech_id as bid
from biomech_id.sample.write import write_subject
from pathlib import Path
import tempfile
study = Path(tempfile.mkdtemp())
for name in ("anna", "ben"):
    write_subject(study / name)
left_out = "turn*", "walk0[23]*"

# %% Task
results = {folder.name: bid.analyse(folder, exclude=left_out, report=False, uncertainty=False) for folder in sorted(study.iterdir())}
{name: result.verdict for name, result in results.items()}
