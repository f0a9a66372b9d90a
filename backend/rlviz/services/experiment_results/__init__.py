"""From the trials of an experiment, and the journals of their runs, to results, exports and the report."""
