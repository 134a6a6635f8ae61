"""New tets for a body that has flowed further than its old ones can follow (Bargteil 2007, section 4)."""
