"""The service itself: health, metrics for Prometheus."""
