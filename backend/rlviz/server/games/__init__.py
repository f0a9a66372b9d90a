"""Game Boy games of the user's: the files that describe them, and the form that writes these files."""
