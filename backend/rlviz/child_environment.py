"""The environment variables of the processes that the service starts: those of the service without its secrets.

Environments of the user's own run there, and whatever they log, send or crash with may hold all variables.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

SECRETS = frozenset({"RLVIZ_TOKEN", "RLVIZ_WEBHOOK_URL"})
"""The secret settings. A test compares them with those that ``Settings`` marks."""

_WITHOUT_A_TOKEN = {"RLVIZ_HOST": "127.0.0.1", "RLVIZ_ALLOWED_HOSTS": ""}
"""What only a service with a token may be set to: code in a worker that reads the settings finds valid ones."""


def child_environment(**more: str) -> dict[str, str]:
    """The variables for a new process, with ``more``."""
    variables = dict(os.environ)
    _remove_secrets(variables)
    return {**variables, **more}


def forget_secrets() -> None:
    """Remove the secrets from the variables of this process, for code that runs in it. Read the settings before."""
    _remove_secrets(os.environ)


def _remove_secrets(variables: MutableMapping[str, str]) -> None:
    if found := [name for name in variables if name.upper() in SECRETS]:
        for name in found:
            del variables[name]
        variables.update(_WITHOUT_A_TOKEN)
