"""Bodies held where the artist wants them: by their own animation, by a collider, by another shape."""
