"""What a user can ask for: one file a noun, one transaction a use case."""
