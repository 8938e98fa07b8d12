"""What a run is asked to do, as values: recipe, job, subject file, review, recordings that came in.

In: the files a person writes, and arguments. Out: one `job.Job` with its `recipe.Recipe`, and the trials that could be read. A
newcomer adds a setting as a row of the recipe's section.
"""
