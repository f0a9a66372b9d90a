"""Between the worker of a session and the one who looks."""
