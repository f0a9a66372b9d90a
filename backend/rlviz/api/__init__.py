"""The HTTP face: routers translate, services decide. Mounted at /api beside the built front end."""
