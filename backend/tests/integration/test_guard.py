"""Who may speak to the service: with a token, on this machine only, and from which pages."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.support.http import RawAnswer, Service, assert_problem, make_run, raw_request, serving

TOKEN = "open-sesame-123"
CORS = "http://127.0.0.1:3000"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that other machines can reach, with a token, and with a page of another origin that may call it."""
    folder = tmp_path_factory.mktemp("guarded")
    make_run(folder / "runs", "a-run", rows=3, status="completed")
    with serving(folder, host="0.0.0.0", token=TOKEN, cors_origins=CORS) as service:
        yield service
        assert "Traceback" not in service.log, service.log


@pytest.fixture
def stranger(guarded: Service) -> Iterator[httpx.Client]:
    """A client that knows no token."""
    with httpx.Client(base_url=str(guarded.http.base_url)) as client:
        yield client


# The token


@pytest.mark.parametrize("path", ["/api/health", "/api/runs/a-run/artifacts/config.json", "/", "/api/openapi.json"])
def test_nothing_is_shown_without_the_token(stranger: httpx.Client, path: str) -> None:
    answer = stranger.get(path)
    assert_problem(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer"},
        {"Authorization": ""},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": "Bearer \u00e9".encode("latin-1")},
        {"Cookie": "rlviz_token=wrong"},
        {"Cookie": "rlviz_token"},
        {"Cookie": f"other={TOKEN}"},
        {"Cookie": 'rlviz_token="; ;;=\\'},
    ],
)
def test_a_wrong_token_is_refused(stranger: httpx.Client, headers: dict[str, str | bytes]) -> None:
    assert_problem(stranger.get("/api/health", headers=headers), 401)


@pytest.mark.parametrize(
    "headers", [{"Authorization": f"Bearer {TOKEN}"}, {"Cookie": f"theme=dark; rlviz_token={TOKEN}"}]
)
def test_the_token_opens_the_door_as_header_or_as_cookie(stranger: httpx.Client, headers: dict[str, str]) -> None:
    assert stranger.get("/api/health", headers=headers).status_code == 200


def test_a_page_opened_with_the_token_leads_to_itself_without_it_and_leaves_a_cookie(stranger: httpx.Client) -> None:
    answer = stranger.get("/compare", params={"runs": "a,b", "token": TOKEN, "empty": ""})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/compare?runs=a%2Cb&empty="
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert stranger.get("/api/health").status_code == 200, "The client has the cookie now"


def test_a_wrong_token_in_the_address_leaves_no_cookie(stranger: httpx.Client) -> None:
    answer = stranger.get("/", params={"token": "wrong"})
    assert_problem(answer, 401)
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "path",
    ["//evil.example", "///evil.example", "/\\evil.example", "/%2fevil.example", "/%5cevil.example", "/%09/e.example"],
)
def test_the_login_never_leads_to_another_site(guarded: Service, path: str) -> None:
    answer = raw_request(guarded.port, f"{path}?token={TOKEN}".encode())
    assert answer.status == 303
    location = answer.headers["location"]
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\", "/\t"))


def test_the_login_cannot_add_headers(guarded: Service) -> None:
    answer = raw_request(guarded.port, f"/%0d%0aX-Evil:%201?token={TOKEN}&x=%0d%0aX-Evil:1".encode())
    assert answer.status == 303
    assert "x-evil" not in answer.headers


# Names and origins


def as_host(service: Service, host: str, **headers: str) -> RawAnswer:
    encoded = {name: value.encode("latin-1") for name, value in {"Host": host, **headers}.items()}
    return raw_request(service.port, b"/api/health", headers=encoded)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.7",
        "0.0.0.0",
        "",
        "[::1",
        "[evil]",
        "127.0.0.1@evil.example",
        "evil.example#127.0.0.1",
        "\xff",
    ],
)
def test_on_this_machine_no_other_name_is_answered(service: Service, host: str) -> None:
    """DNS rebinding: a page of evil.example whose name now leads here is still a page of evil.example."""
    assert_problem(as_host(service, host), 403)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:1234", "[::1]:80", "127.0.0.9:5"])
def test_every_name_of_this_machine_is_answered(service: Service, host: str) -> None:
    assert as_host(service, host).status == 200


def test_with_a_token_the_service_answers_under_any_name(guarded: Service) -> None:
    assert as_host(guarded, "training.example", Authorization=f"Bearer {TOKEN}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://[::1", "garbage"])
def test_a_page_of_another_origin_may_change_nothing(service: Service, origin: str) -> None:
    headers = {"Origin": origin}
    count = service.get("/runs")["total"]
    assert_problem(service.api("POST", "/runs", json={"algo": "ppo"}, headers=headers), 403)
    assert_problem(service.api("DELETE", "/runs/ended-run", headers=headers), 403)
    assert_problem(service.api("PATCH", "/runs/ended-run", json={"name": "x"}, headers=headers), 403)
    assert service.get("/runs")["total"] == count


def test_the_own_page_may_change_things(service: Service) -> None:
    origin = f"http://127.0.0.1:{service.port}"
    answer = service.api("POST", "/runs", json={"algo": "ppo"}, headers={"Origin": origin})
    assert answer.status_code == 201


def test_no_other_origin_may_read_unless_it_is_configured(service: Service, guarded: Service) -> None:
    answer = service.api("GET", "/health", headers={"Origin": CORS})
    assert "access-control-allow-origin" not in answer.headers
    allowed = guarded.api("GET", "/health", headers={"Origin": CORS})
    assert allowed.headers["access-control-allow-origin"] == CORS
    other = guarded.api("GET", "/health", headers={"Origin": "http://127.0.0.1:3001"})
    assert other.headers.get("access-control-allow-origin") in (None, "")


def test_a_configured_origin_may_change_things_after_it_has_asked(guarded: Service, stranger: httpx.Client) -> None:
    asked = {"Origin": CORS, "Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "content-type"}
    preflight = stranger.options("/api/runs/a-run", headers=asked)
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == CORS
    assert "PATCH" in preflight.headers["access-control-allow-methods"]
    answer = guarded.api("PATCH", "/runs/a-run", json={"notes": "from afar"}, headers={"Origin": CORS})
    assert answer.status_code == 200


def test_errors_are_readable_for_a_configured_origin_too(stranger: httpx.Client) -> None:
    answer = stranger.get("/api/health", headers={"Origin": CORS})
    assert_problem(answer, 401)
    assert answer.headers["access-control-allow-origin"] == CORS
