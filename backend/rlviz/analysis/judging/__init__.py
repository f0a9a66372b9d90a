"""Which episodes are worth watching, and where in them: ranks, moments, ways to end, and a search.

``docs/episodes.md`` defines each figure once.
"""
