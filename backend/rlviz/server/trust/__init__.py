"""Trust: which runs may execute the code that they contain."""
