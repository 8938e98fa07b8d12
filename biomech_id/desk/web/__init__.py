"""The desk over HTTP, to a browser on this machine alone: guard, keys, routes, events; nothing of biomechanics.

The only place that imports Starlette and uvicorn, which the extra ``[desk]`` brings.
"""
