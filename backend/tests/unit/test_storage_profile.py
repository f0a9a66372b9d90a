"""Every environment family has a storage profile."""

from __future__ import annotations

from rlviz.domain.storage_profile import DEFAULT_PROFILES
from rlviz.learning.environments import ENVIRONMENTS


def test_every_family_has_a_profile() -> None:
    families = {ENVIRONMENTS.get(env_id).family.id for env_id in ENVIRONMENTS.names()}
    assert families <= DEFAULT_PROFILES.keys()
