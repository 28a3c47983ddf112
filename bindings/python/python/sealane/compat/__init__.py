"""Packages with the names and signatures of others: change the import, and nothing else."""
