"""The HTTP API: routers translate requests, services decide. Mounted at /api beside the built front end.

The services: use cases, supervision, projection, streaming.
"""

from __future__ import annotations
