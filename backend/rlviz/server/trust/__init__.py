"""Trust: which runs and folders may execute code of their own."""
