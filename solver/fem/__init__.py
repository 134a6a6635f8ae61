"""Finite elements: linear tets, elasticity, viscoplastic flow, and the implicit time step."""
