"""The services: use cases, supervision, projection, streaming."""
