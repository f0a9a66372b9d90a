"""Which episodes are worth watching: ranking, key moments, ways to end, and search.

``docs/episodes.md`` defines each figure.
"""
