"""A session as values: its trials, subject, muscle signals, norm, fingerprint, and the summary that is written of them.

In: what the stages of an analysis computed, in SI. Out: values from which tables, pages and documents are made. A newcomer adds a
field here only if several of these need it.
"""
