"""Recordings and tables as files of other programs: OpenSim's ``.trc``, ``.mot`` and ``.sto``.

In: plain arrays and names. Out: text that reads back as the same numbers. A newcomer adds a format as a module beside the others.
"""
