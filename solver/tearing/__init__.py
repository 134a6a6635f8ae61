"""Where a body tears at a remesh, and the artist's surface cut and closed there, with all that lies on it."""
