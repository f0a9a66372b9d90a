"""What takes space in the runs folder, and the rules by which it is made room in."""
