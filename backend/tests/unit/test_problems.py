"""Errors as problem+json. What each endpoint answers is in the integration tests."""

from __future__ import annotations

from rlviz.api.problems import _field


def test_a_field_with_a_slash_or_a_tilde_in_its_name_is_pointed_to_as_rfc_6901_says() -> None:
    item = {"type": "extra_forbidden", "loc": ("body", "a/b~", 0), "msg": "Extra inputs are not permitted"}
    assert _field(item).pointer == "/a~1b~0/0"
    assert _field({**item, "loc": ("body",)}).pointer == ""
