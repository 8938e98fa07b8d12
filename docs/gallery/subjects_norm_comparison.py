"""Several subjects, their norm, and two of them compared

Every folder is analysed; what went wrong stands beside what went well; a norm is made of them, and two are set side by side.
"""

# %% What you have
import biomech_id as bid
from biomech_id.sample.write import write_subject
from pathlib import Path
import tempfile
study = Path(tempfile.mkdtemp())
for name in ("anna", "ben"):
    write_subject(study / name)
recipe = bid.Recipe(report=False, uncertainty=False)

# %% Example
people = bid.analyse_many(sorted(study.iterdir()), exclude=("turn*", "walk0[23]*"), recipe=recipe, progress=False)
band = bid.norm(people, "two virtual walkers")
anna, ben = people.values()
beside = bid.compare(anna, ben)
len(band), float(beside["difference"].abs().max())
