"""What a change of meshes says to all that lies on them: one record, whoever makes it, replayed through one door."""
