"""Authentication, host and origin checks of requests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from rlviz.domain.errors import TooManyLoginAttempts
from rlviz.server.auth import MAX_ATTEMPTS, WAIT_SECONDS, LoginRateLimiter
from tests.support.cases import cases
from tests.support.raw_requests import RawAnswer, assert_problem, raw_request
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving

TOKEN = "open-sesame-123"
CORS = "http://127.0.0.1:3000"
BROWSER = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that other machines can reach, with a token and a configured origin."""
    folder = tmp_path_factory.mktemp("guarded")
    make_run(folder / "runs", "a-run", rows=3, status="completed")
    with serving(folder, host="0.0.0.0", token=TOKEN, cors_origins=CORS, launcher="scripted") as service:
        yield service
        assert "Traceback" not in service.log, service.log


@pytest.fixture
def stranger(guarded: Service) -> Iterator[httpx.Client]:
    """A client without a token."""
    with httpx.Client(base_url=str(guarded.http.base_url)) as client:
        yield client


# The token


@pytest.mark.parametrize("path", ["/api/health", "/api/runs/a-run/artifacts/config.json", "/", "/api/openapi.json"])
def test_nothing_is_shown_without_the_token(stranger: httpx.Client, path: str) -> None:
    answer = stranger.get(path)
    assert_problem(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"


@cases(
    "headers",
    [
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer"},
        {"Authorization": ""},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": "Bearer \u00e9".encode("latin-1")},
        {"Cookie": f"rlviz_session={TOKEN}"},
        {"Cookie": "rlviz_session"},
        {"Cookie": f"other={TOKEN}"},
        {"Cookie": 'rlviz_session="; ;;=\\'},
    ],
)
def test_a_wrong_token_is_refused(stranger: httpx.Client, headers: dict[str, str | bytes]) -> None:
    assert_problem(stranger.get("/api/health", headers=headers), 401)


@pytest.mark.parametrize("headers", [{"Authorization": f"Bearer {TOKEN}"}, {"Authorization": f"bearer {TOKEN}"}])
def test_the_token_is_accepted_as_a_header(stranger: httpx.Client, headers: dict[str, str]) -> None:
    assert stranger.get("/api/health", headers=headers).status_code == 200


# The login page


def sign_in(client: httpx.Client, token: str = TOKEN, target: str = "/") -> httpx.Response:
    return client.post("/login", data={"token": token, "next": target})


def test_a_user_is_redirected_to_the_login_and_back(stranger: httpx.Client) -> None:
    asked = stranger.get("/compare?runs=a,b", headers=BROWSER)
    assert (asked.status_code, asked.headers["location"]) == (303, "/login?next=%2Fcompare%3Fruns%3Da%2Cb")
    page = stranger.get(asked.headers["location"], headers=BROWSER)
    assert page.status_code == 200
    assert 'value="/compare?runs=a,b"' in page.text
    assert "<script" not in page.text
    assert page.headers["referrer-policy"] == "same-origin", "or the browser posts the form with Origin: null"
    answer = sign_in(stranger, target="/compare?runs=a,b")
    assert (answer.status_code, answer.headers["location"]) == (303, "/compare?runs=a,b")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie, "who reads the cookie does not know the token"
    assert stranger.get("/api/health").status_code == 200, "The client has the cookie now"
    assert stranger.post("/logout").headers["location"] == "/login"
    assert_problem(stranger.get("/api/health"), 401)


def test_a_wrong_token_at_the_login_is_reported_and_sets_no_cookie(stranger: httpx.Client) -> None:
    answer = sign_in(stranger, "wrong", '/"><script>alert(1)</script>')
    assert answer.status_code == 401
    assert "not the token" in answer.text
    assert "<script" not in answer.text
    assert "set-cookie" not in answer.headers


def test_a_token_in_the_address_is_not_accepted(stranger: httpx.Client) -> None:
    assert_problem(stranger.get("/", params={"token": TOKEN}), 401)


@pytest.mark.parametrize(
    "target",
    ["//evil.example", "///evil.example", "/\\evil.example", "https://evil.example", "\t//evil.example", "/login", ""],
)
def test_the_login_never_redirects_to_another_site_or_in_a_circle(stranger: httpx.Client, target: str) -> None:
    location = sign_in(stranger, target=target).headers["location"]
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\", "/\t", "/login"))


def test_the_login_cannot_add_headers(stranger: httpx.Client) -> None:
    answer = sign_in(stranger, target="/\r\nX-Evil: 1")
    assert answer.status_code == 303
    assert "x-evil" not in answer.headers


def test_a_page_of_another_origin_cannot_sign_a_user_in(stranger: httpx.Client) -> None:
    form, headers = {"token": TOKEN}, {"Origin": "http://evil.example"}
    assert_problem(stranger.post("/login", data=form, headers=headers), 403)


@contextmanager
def at(service: Service, address: str) -> Iterator[httpx.Client]:
    """Return a client with another address of this machine."""
    with httpx.Client(
        base_url=str(service.http.base_url), transport=httpx.HTTPTransport(local_address=address)
    ) as client:
        yield client


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere this machine has one address of its own alone")
def test_repeated_wrong_tokens_delay_only_their_own_client(guarded: Service) -> None:
    """Wrong tokens at the login and in the header count together; a signed-in browser is not affected."""
    right = {"Authorization": f"Bearer {TOKEN}"}
    with at(guarded, "127.0.0.2") as guesser, at(guarded, "127.0.0.3") as elsewhere:
        session = {"Cookie": sign_in(guesser).headers["set-cookie"].partition(";")[0]}
        guesser.cookies.clear()
        for number in range(MAX_ATTEMPTS - 1):
            assert_problem(guesser.get("/api/health", headers={"Authorization": f"Bearer {number}"}), 401)
        assert sign_in(guesser, "wrong").status_code == 401
        problem = guesser.get("/api/health", headers=right)
        assert_problem(problem, 429)
        assert problem.headers["retry-after"] == "60"
        assert sign_in(guesser).status_code == 429
        assert guesser.get("/api/health", headers=session).status_code == 200
        assert_problem(guesser.get("/api/health"), 401)
        assert elsewhere.get("/api/health", headers=right).status_code == 200
        assert sign_in(elsewhere).status_code == 303


def test_wrong_tokens_block_the_whole_network_of_their_client_for_a_minute() -> None:
    now = 0.0
    guesses = LoginRateLimiter(lambda: now)
    for number in range(MAX_ATTEMPTS):
        guesses.add(f"2001:db8::{number:x}")
    for address in ("192.0.2.1", "2001:db8:0:1::1", "::ffff:192.0.2.1", ""):
        guesses.check(address)
    now = WAIT_SECONDS - 1
    with pytest.raises(TooManyLoginAttempts):
        guesses.check("2001:db8::ffff")
    now = WAIT_SECONDS + 1
    guesses.check("2001:db8::1")


# Names and origins


def as_host(service: Service, host: str, **headers: str) -> RawAnswer:
    encoded = {name: value.encode("latin-1") for name, value in {"Host": host, **headers}.items()}
    return raw_request(service.port, b"/api/health", headers=encoded)


@cases(
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
def test_a_local_service_answers_no_other_host_name(service: Service, host: str) -> None:
    """DNS rebinding: a page of evil.example stays one of evil.example if its name resolves to this machine."""
    assert_problem(as_host(service, host), 403)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:1234", "[::1]:80", "127.0.0.9:5"])
def test_a_local_service_answers_every_name_of_this_machine(service: Service, host: str) -> None:
    assert as_host(service, host).status == 200


def test_with_a_token_the_service_answers_under_any_name(guarded: Service) -> None:
    assert as_host(guarded, "training.example", Authorization=f"Bearer {TOKEN}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://[::1", "garbage"])
def test_a_page_of_another_origin_may_not_change_anything(service: Service, origin: str) -> None:
    headers = {"Origin": origin}
    count = service.get("/runs")["total"]
    assert_problem(service.api("POST", "/runs", json={"algo": "ppo"}, headers=headers), 403)
    assert_problem(service.api("DELETE", "/runs/ended-run", headers=headers), 403)
    assert_problem(service.api("PATCH", "/runs/ended-run", json={"name": "x"}, headers=headers), 403)
    assert service.get("/runs")["total"] == count


def test_a_page_of_the_service_may_change_things(service: Service) -> None:
    origin = f"http://127.0.0.1:{service.port}"
    answer = service.api("POST", "/runs", json={"algo": "ppo"}, headers={"Origin": origin})
    assert answer.status_code == 201


@pytest.mark.parametrize("foreign_is_first", [True, False])
def test_a_request_with_two_origins_is_checked_for_both(service: Service, foreign_is_first: bool) -> None:
    origins = [f"http://127.0.0.1:{service.port}", "http://evil.example"]
    headers = [("Origin", origin) for origin in (reversed(origins) if foreign_is_first else origins)]
    assert_problem(service.api("POST", "/runs", json={"algo": "ppo"}, headers=headers), 403)


def test_other_origins_may_read_only_if_they_are_configured(service: Service, guarded: Service) -> None:
    answer = service.api("GET", "/health", headers={"Origin": CORS})
    assert "access-control-allow-origin" not in answer.headers
    allowed = guarded.api("GET", "/health", headers={"Origin": CORS})
    assert allowed.headers["access-control-allow-origin"] == CORS
    other = guarded.api("GET", "/health", headers={"Origin": "http://127.0.0.1:3001"})
    assert other.headers.get("access-control-allow-origin") in (None, "")


def test_a_configured_origin_may_change_things_after_a_preflight_request(
    guarded: Service, stranger: httpx.Client
) -> None:
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
