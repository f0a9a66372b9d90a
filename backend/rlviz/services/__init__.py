"""The use cases: create, start, stop, evaluate, follow, compare, recover."""
