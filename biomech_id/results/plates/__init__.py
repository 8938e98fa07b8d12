"""Where the force plates stand, by the steps on them: of a session, and of a laboratory over its sessions."""
