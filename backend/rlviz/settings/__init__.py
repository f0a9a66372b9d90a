"""Settings of the service and of the command line: read once, validated, never changed afterwards."""

from rlviz.settings.addresses import checked_root_path, is_loopback, masked_address, proxy_network
from rlviz.settings.reading import read_settings, settings_that_need_trust
from rlviz.settings.settings import PREFIX, Settings

__all__ = [
    "PREFIX",
    "Settings",
    "checked_root_path",
    "is_loopback",
    "masked_address",
    "proxy_network",
    "read_settings",
    "settings_that_need_trust",
]
