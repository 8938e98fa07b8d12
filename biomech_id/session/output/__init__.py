"""From the values of a session to its tables and documents, one module a group of tables.

In: `session.values`. Out: what is written under OUT. A newcomer adds a table through `further_tables` and a statistic through
`statistics_rows`.
"""
