"""Pieces of a body, and bodies of one merge group, that become one where they have run into each other."""
