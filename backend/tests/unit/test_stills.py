"""Still images of environments."""

from __future__ import annotations

import warnings

from PIL import Image

from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.stills import WIDTH, still_path
from rlviz.learning.environments.stills.__main__ import frame
from rlviz.learning.environments.stills.scenes import SCENES
from tests.support.cases import cases

MAX_BYTES = 10_000


@cases("env_id", ENVIRONMENTS.names())
def test_every_registered_environment_has_a_small_still_image_with_content(env_id: str) -> None:
    path = still_path(env_id)
    assert path.is_file(), "run 'make stills'"
    assert path.stat().st_size <= MAX_BYTES
    with Image.open(path) as still:
        assert (still.format, still.width) == ("WEBP", WIDTH)
        assert len(set(still.convert("RGB").resize((40, 40)).getdata())) > 3


def test_a_removed_environment_has_no_still_image_and_no_scene() -> None:
    assert {path.name for path in still_path("any").parent.glob("*.webp")} == {
        still_path(env_id).name for env_id in ENVIRONMENTS.names()
    }
    assert set(SCENES) <= set(ENVIRONMENTS.names())


def test_a_scene_always_renders_the_same_picture() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, again = (frame(ENVIRONMENTS.get("FrozenLake-v1"), SCENES["FrozenLake-v1"]) for _ in range(2))
    assert first.tobytes() == again.tobytes()
