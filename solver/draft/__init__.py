"""Warped stiffness after Müller and Gross 2004: the quick way to move a body, one linear solve a step."""
