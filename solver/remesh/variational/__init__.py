"""The paper's remesher: sites that relax, their Delaunay tets, and of these what the old mesh fills (Bargteil 2007, 4)."""
