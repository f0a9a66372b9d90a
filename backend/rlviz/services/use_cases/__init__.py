"""The use cases: one file for each noun, one transaction for each use case."""
