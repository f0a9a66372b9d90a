"""The service itself: health, the choices of a new run, and metrics for Prometheus."""
