"""Contact of the artist's surface with colliders, solved together with the deformation."""
