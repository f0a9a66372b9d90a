"""YAML of strangers, of which nothing is run: of Python objects their plain content is taken."""

from __future__ import annotations

from typing import Any

import yaml

_PYTHON = "tag:yaml.org,2002:python/"


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """No name in the file is looked up."""


def _construct_plain(loader: _Loader, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Loader.add_multi_constructor(_PYTHON, _construct_plain)


def load_plain(content: bytes) -> Any:
    """What the document says. Raises ValueError, TypeError or RecursionError where it is no YAML."""
    try:
        return yaml.load(content, Loader=_Loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
