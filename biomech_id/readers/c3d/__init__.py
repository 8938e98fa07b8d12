"""C3D as it really is: header, parameters, layout, numbers, and what they mean."""
