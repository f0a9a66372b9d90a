"""Uploads and downloads through a real nginx."""

from __future__ import annotations

import httpx

from tests.real.test_reverse_proxy import BEARER, behind_nginx, browser, nginx, service

__all__ = ["browser", "nginx", "service"]


@behind_nginx
def test_files_are_uploaded_and_downloaded_through_the_proxy(browser: httpx.Client) -> None:
    bundle = browser.get("/rlviz/api/runs/a-run/bundle", headers=BEARER)
    assert bundle.headers["content-disposition"] == 'attachment; filename="a-run.zip"'
    part = browser.get("/rlviz/api/runs/a-run/artifacts/config.json", headers={**BEARER, "Range": "bytes=0-9"})
    assert (part.status_code, len(part.content)) == (206, 10)
    rows = "r,l,t\n" + f"{1:.100f},10,0.1\n" * 12_000
    assert len(rows) > 1_200_000, "more than what nginx takes without being told"
    log = f'#{{"t_start": 0.0, "env_id": "CartPole-v1"}}\n{rows}'
    sent = browser.post(
        "/rlviz/api/runs/import", params={"file": "0.monitor.csv", "algo": "ppo"}, content=log, headers=BEARER
    )
    assert sent.status_code == 201, sent.text
