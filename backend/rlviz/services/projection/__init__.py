"""What a run folder amounts to: its rows of the catalogue."""
