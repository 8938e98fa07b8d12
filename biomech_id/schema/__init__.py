"""Every key of the JSON files and every table's columns, as data; the files under ``schemas/`` are generated from them.

In: nothing. Out: names, types and meanings for the data dictionary and for other programs. A newcomer adds a key here and runs
``make docs``.
"""
