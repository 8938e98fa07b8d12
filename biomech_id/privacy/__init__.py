"""Names and codes: what a session is called under a code, and a last look at everything that is written.

In: the names in a request and its recordings. Out: the same values with made-up names, and a refusal where a name is left. A
newcomer adds a kind of text that may hold a name where `pseudonym` lists them.
"""
