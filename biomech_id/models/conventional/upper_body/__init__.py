"""The conventional model above the hips: head, thorax, arms, and the whole body's centre of mass."""
