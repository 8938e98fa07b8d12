"""Everything OpenSim needs to take over: model, markers, forces, setup files; and what it would complain about."""
