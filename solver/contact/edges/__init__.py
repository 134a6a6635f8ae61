"""Sharp edges and corners of colliders against the faces and edges of bodies."""
