"""Commands that add sinks to a run and remove them."""

from __future__ import annotations

from tests.scripted.test_cli_like_the_pages import done, trained, warm
from tests.support.service_process import Service
from tests.support.waiting import eventually

__all__ = ["trained", "warm"]


def test_sinks_are_added_to_and_removed_from_a_started_run(warm: Service) -> None:
    assert "tensorboard" in done(warm, "sinks", "available").out
    assert done(warm, "sinks", "list", "put-there").out == "It has no sinks.\n"
    done(warm, "sinks", "add", "put-there", "tensorboard")

    def delivered() -> bool:
        [sink] = done(warm, "sinks", "list", "put-there", "--json").json["sinks"]
        return bool(sink["state"] == "delivered")

    eventually(delivered, "its delivery")
    assert "tensorboard  delivered" in done(warm, "sinks", "list", "put-there").out
    done(warm, "sinks", "remove", "put-there", "tensorboard")
    assert [sink["live"] for sink in done(warm, "sinks", "list", "put-there", "--json").json["sinks"]] == [False]
