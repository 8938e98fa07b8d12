"""A comparison of two sessions put together: what changed beyond error on its first page, and at most nine pages behind it.

In flow the sessions as `Layer` and one norm; out flow pages. What is drawn stands in `facts` once; each other module draws a part.
"""
