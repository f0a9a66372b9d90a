"""Settings of the service and of the command line: read once, validated, never changed afterwards."""

from rlviz.settings.addresses import is_loopback, masked_address
from rlviz.settings.reading import read_settings
from rlviz.settings.settings import PREFIX, Settings

__all__ = ["PREFIX", "Settings", "is_loopback", "masked_address", "read_settings"]
