"""Sessions of trained runs: seeds, earlier policies, and a trainer without viewers."""

from __future__ import annotations

from rlviz.domain.sessions import PolicyMessage
from tests.real.test_sessions import service, trained
from tests.support.faults import train
from tests.support.service_process import Service
from tests.support.sessions import looking
from tests.support.waiting import eventually

__all__ = ["service", "trained"]


def test_the_trainer_writes_no_weights_without_viewers(service: Service) -> None:
    run_id = train(service)
    eventually(lambda: service.get(f"/runs/{run_id}")["step"] > 1_000, "some training")
    assert not service.folder(run_id).watch.exists()
    service.api("POST", f"/runs/{run_id}/stop")
    service.wait_for_status(run_id, "stopped")


def test_a_run_resumed_while_it_is_watched_becomes_live_again(service: Service) -> None:
    run_id = train(service)
    service.api("POST", f"/runs/{run_id}/pause")
    paused_at = service.wait_for_status(run_id, "paused")["step"]
    with looking(service, run_id=run_id) as viewer:
        viewer.step()
        assert not service.folder(run_id).watch.exists(), "nothing is written for a run that does not train"
        assert service.api("POST", f"/runs/{run_id}/resume", json={}).status_code == 202
        viewer.until(lambda message: isinstance(message, PolicyMessage) and message.step > paused_at)
        service.api("POST", f"/runs/{run_id}/stop")
    service.wait_for_status(run_id, "stopped")


def test_a_policy_of_an_earlier_step_plays_as_it_did_then(service: Service, trained: str) -> None:
    kept = [step for step, _ in service.folder(trained).film_files()]
    assert len(kept) > 1
    with looking(service, run_id=trained, checkpoint_step=kept[1] - 1) as viewer:
        assert viewer.first("policy").step == kept[0]
    answer = service.api("POST", "/sessions", json={"mode": "watch", "env_id": "CartPole-v1", "checkpoint_step": 1})
    assert answer.status_code == 422


def test_the_same_seed_gives_a_greedy_session_and_an_evaluation_the_same_episode(
    service: Service, trained: str
) -> None:
    answer = service.api("POST", f"/runs/{trained}/evaluations", json={"episodes": 1})
    assert answer.status_code == 202

    def done() -> dict[str, object] | None:
        found = service.get(f"/runs/{trained}/evaluations/latest")
        return found["summary"] if found["status"] == "completed" else None

    evaluated = eventually(done, "the evaluation")["episodes"][0]  # type: ignore[index]
    with looking(service, run_id=trained) as viewer:
        viewer.send(type="rate", fps=60)
        assert viewer.first("episode").seed == evaluated["seed"]
        last = viewer.step(lambda record: record.terminated or record.truncated)
    assert (last.index, last.episode_return) == (evaluated["episode_length"], evaluated["episode_return"])
