"""The command line: what the pages do, from a terminal.

Nothing heavy is imported before a command needs it, so that help and completion come at once.
"""
