"""Panels and layers that pages are put together from: curves with their norm, legends, muscle rows, scales.

In: tables of a session and a style. Out: drawings on a sheet. A newcomer adds a panel that more than one page needs.
"""
