"""Contact of the bodies' surfaces with each other and with themselves (Li et al. 2020, "Incremental potential contact")."""
