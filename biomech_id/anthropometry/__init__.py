"""Inertial parameters of body segments: published tables as CSV with a citation per row, and their scaling to a subject."""

from biomech_id.anthropometry.osim_masses import osim_mass_fractions
from biomech_id.anthropometry.table import INERTIAL_TABLES, InertialTable, Row, load_table

__all__ = ["INERTIAL_TABLES", "InertialTable", "Row", "load_table", "osim_mass_fractions"]
