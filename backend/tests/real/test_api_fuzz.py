"""Fuzzing of every parameter in the OpenAPI document: no response is a 5xx."""

from __future__ import annotations

import json
import random
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.described_api import described_api
from tests.support.raw_requests import raw_request
from tests.support.service_process import Service

ENDED = "ended-run"
VALUES = 4
ALPHABET = "a0-_.:,/\\%?#&=+;'\"<>{}[]()*~ \t\r\n\0\x7f\u00e9\u2028\U0001f600\ud800"
NASTY: list[Any] = [
    "",
    " ",
    "null",
    "undefined",
    "NaN",
    "-0",
    "0x10",
    "1e999",
    "-1",
    "2147483648",
    "9" * 500,
    "true",
    "[]",
    "{}",
    "' OR 1=1 --",
    "%",
    "\0",
    "\ud800",
    "../../../../etc/passwd",
    "${jndi:ldap://x}",
    "x" * 5_000,
    "ended-run",
    "ended-run,ended-run",
    "ended-run:0",
    "ppo",
    "CartPole-v1",
]
JSON_VALUES: list[Any] = [*NASTY, None, True, 0, -1, 1.5, 10**40, [], {}, [[]], {"a": {"b": [None]}}, ["x"] * 100]

DOCUMENT = described_api()
OPERATIONS = [
    (method, path) for path, methods in DOCUMENT["paths"].items() for method in methods if not path.endswith("/stream")
]


def hostile(chance: random.Random) -> str:
    if chance.random() < 0.5:
        return str(chance.choice(NASTY))
    return "".join(chance.choices(ALPHABET, k=chance.randrange(1, 40)))


def hostile_json(chance: random.Random, schema: dict[str, Any]) -> Any:
    """Return a body with some correct names and mostly invalid values."""
    if "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    names = list(schema.get("properties", {}))
    body = {name: chance.choice(JSON_VALUES) for name in names if chance.random() < 0.6}
    if "algo" in names and chance.random() < 0.7:
        body |= {"algo": "ppo", "hyperparameters": {chance.choice(["gamma", "n_steps", hostile(chance)]): 1}}
        body["hyperparameters"]["net_arch"] = chance.choice(JSON_VALUES)
    body.pop("start", None)
    return body if chance.random() < 0.95 else chance.choice(JSON_VALUES)


def encoded(value: str) -> str:
    return quote(value.encode("utf-8", "surrogatepass"), safe="")


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=lambda value: value)
def test_no_value_of_any_parameter_breaks_the_service(service: Service, method: str, path: str) -> None:
    send_hostile_values(service, method, path, VALUES)


def send_hostile_values(service: Service, method: str, path: str, times: int) -> None:
    operation = DOCUMENT["paths"][path][method]
    chance = random.Random(f"{method} {path}")
    for _ in range(times):
        target, queries = path, []
        headers: dict[str, bytes] = {}
        for parameter in operation.get("parameters", []):
            value = hostile(chance)
            if parameter["in"] == "path":
                known = parameter["name"] == "run_id" and method == "get" and chance.random() < 0.6
                unknown = encoded(value) if value not in ("", ENDED) else "x"  # other tests need that run
                target = target.replace(f"{{{parameter['name']}}}", ENDED if known else unknown)
            elif parameter["in"] == "query" and chance.random() < 0.7:
                queries += [f"{parameter['name']}={encoded(value)}"] * chance.choice([1, 1, 2])
        body = b""
        if "requestBody" in operation:
            [(kind, content)] = operation["requestBody"]["content"].items()
            is_json = kind == "application/json"
            body = json.dumps(hostile_json(chance, content["schema"])).encode() if is_json else chance.randbytes(200)
            headers["Content-Type"] = kind.encode()
        full = f"/api{target}" + ("?" + "&".join(queries) if queries else "")
        answer = raw_request(service.port, full.encode(), method=method.upper().encode(), headers=headers, body=body)
        assert answer.status < 500, (method, full, body, answer.body)
        if answer.status >= 400:
            assert answer.headers["content-type"] == "application/problem+json", full


@pytest.mark.parametrize("path", ["/stream", "/runs/{run_id}/stream"])
def test_no_parameter_value_breaks_the_opening_of_a_stream(service: Service, path: str) -> None:
    chance = random.Random(path)
    for _ in range(VALUES):
        query = "&".join(f"{name}={encoded(hostile(chance))}" for name in ("runs", "last_event_id", "since"))
        full = "/api" + path.replace("{run_id}", chance.choice(["ended-run", encoded(hostile(chance)) or "x"]))
        cursor = bytes(
            byte for byte in hostile(chance).encode("utf-8", "replace") if byte >= 32 and byte != 127
        ).strip()
        with service.http.stream("GET", f"{full}?{query}", headers={"Last-Event-ID": cursor}) as answer:
            assert answer.status_code in (200, 400, 404, 422), (full, query)
