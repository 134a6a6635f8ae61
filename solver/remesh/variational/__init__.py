"""The paper's remesher: sites that relax, Delaunay tets between them, and of these what the old mesh fills (Bargteil 2007, 4)."""
