"""From journals to browsers: feeds, broadcast of changes, cursors, and streams."""
