"""The HTTP API: routers translate requests, services decide. Mounted at /api beside the built front end."""
