"""The Oxford foot model as Vicon's plug-in computes it: hindfoot, forefoot and hallux beside either leg model.

In flow recordings with the foot's markers and what a static trial, or the walk's own file, teaches of them; out come angles and the
arch height index (``model.track_foot``). ``docs/oxford-foot.md`` has every equation. The leg models know nothing of it.
"""
