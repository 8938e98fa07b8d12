"""Results for other programs: back into a copy of the C3D file, and over to OpenSim."""
