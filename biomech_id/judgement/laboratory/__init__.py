"""A laboratory's memory: charts of what its sessions have shown, and what they say of the next one.

In: what past results left behind (``summary.json``). Out: charts, and findings of one session; no curve, no table of a movement.
A newcomer adds a chart as a row of ``values.CHARTS``.
"""
