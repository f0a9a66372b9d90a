"""Environment variables of child processes: those of the service without its secrets.

The user's own environments run there, and their logs, requests or crash reports could contain all variables.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

SECRETS = frozenset({"RLVIZ_TOKEN", "RLVIZ_WEBHOOK_URL"})
"""The secret settings. A test compares them with those that ``Settings`` marks."""

_WITHOUT_A_TOKEN = {"RLVIZ_HOST": "127.0.0.1", "RLVIZ_ALLOWED_HOSTS": ""}
"""Settings that need a token; removed too, so that the settings in a worker are valid."""


def child_environment(**more: str) -> dict[str, str]:
    """Return the variables for a new process, with ``more``."""
    variables = dict(os.environ)
    _remove_secrets(variables)
    return {**variables, **more}


def forget_secrets() -> None:
    """Remove the secrets from the variables of this process. Read the settings first."""
    _remove_secrets(os.environ)


def _remove_secrets(variables: MutableMapping[str, str]) -> None:
    if found := [name for name in variables if name.upper() in SECRETS]:
        for name in found:
            del variables[name]
        variables.update(_WITHOUT_A_TOKEN)
