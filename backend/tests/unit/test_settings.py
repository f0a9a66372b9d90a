"""Sources, validation and error messages of settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from rlviz.domain.errors import InvalidRequest
from rlviz.settings import PREFIX, Settings, is_loopback, read_settings, settings_that_need_trust
from rlviz.trust_store import TrustStore, user_folder
from tests.support.cases import cases


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings in environment variables, no ``.env`` in the working directory, and no user configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in Settings.model_fields:
        monkeypatch.delenv(f"{PREFIX}{name}".upper(), raising=False)


def test_by_default_the_service_is_only_reachable_from_this_machine() -> None:
    settings = read_settings()
    assert (settings.host, settings.port, settings.launcher) == ("127.0.0.1", 8000, "process")
    assert settings.runs_dir == Path("runs")
    assert settings.keep_eval_videos == 3
    assert settings.warm_worker
    assert settings.max_concurrent_runs >= 1
    assert settings.token is None
    assert settings.cors_origins == ()
    assert settings.is_loopback
    assert {settings.source_of(name) for name in Settings.model_fields} == {"default"}


def test_environment_variables_override_the_file_and_the_file_overrides_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("RLVIZ_PORT=1111\nRLVIZ_KEEP_EVAL_VIDEOS=7\nUNRELATED=x\nRLVIZ_UNKNOWN=x\n")
    monkeypatch.setenv("RLVIZ_PORT", "2222")
    settings = read_settings()
    assert (settings.port, settings.source_of("port")) == (2222, "environment")
    assert (settings.keep_eval_videos, settings.source_of("keep_eval_videos")) == (7, ".env")
    assert settings.source_of("host") == "default"


def test_settings_are_immutable() -> None:
    with pytest.raises(ValidationError):
        read_settings().port = 9  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PORT", "http", "RLVIZ_PORT: "),
        ("PORT", "65536", "65535"),
        ("PORT", "-1", "0"),
        ("LAUNCHER", "ray", "Known: process, thread, scripted."),
        ("MAX_CONCURRENT_RUNS", "0", "RLVIZ_MAX_CONCURRENT_RUNS: "),
        ("MAX_CONCURRENT_RUNS", "257", "256"),
        ("KEEP_EVAL_VIDEOS", "0", "RLVIZ_KEEP_EVAL_VIDEOS: "),
        ("TOKEN", "short", "8 characters"),
        ("TOKEN", "eight characters", "RLVIZ_TOKEN: "),
        ("TOKEN", "gänsefüßchen", "RLVIZ_TOKEN: "),
        ("WEBHOOK_URL", "ftp://host/path", "starts with http:// or https://"),
        ("WEBHOOK_URL", "https:///path", "and a host"),
        ("WEBHOOK_URL", "http://[::1/path", "and a host"),
        ("HOST", "0.0.0.0", "Set RLVIZ_TOKEN to a secret"),
        ("HOST", "192.168.1.7", "or leave RLVIZ_HOST at 127.0.0.1"),
        ("HOST", "training.example", "Set RLVIZ_TOKEN to a secret"),
        ("HOST", "::", "Set RLVIZ_TOKEN to a secret"),
        ("ALLOWED_HOSTS", "rl.example.org", "Set RLVIZ_TOKEN to a secret"),
        ("ALLOWED_HOSTS", "127.0.0.1, https://rl.example.org", "without scheme and port"),
        ("ALLOWED_HOSTS", "rl.example.org:8000", "without scheme and port"),
        ("ALLOWED_HOSTS", "*", "without scheme and port"),
        ("TRUSTED_PROXIES", "proxy.example", "neither an address nor a network"),
        ("TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/33", "neither an address nor a network"),
        ("ROOT_PATH", "rlviz", "start with a slash"),
        ("ROOT_PATH", "//evil.example", "start with a slash"),
        ("ROOT_PATH", "/a/../b", "start with a slash"),
        ("ROOT_PATH", '/"><script>', "start with a slash"),
        ("ROOT_PATH", "/a b", "start with a slash"),
    ],
)
def test_an_invalid_setting_is_named_with_the_allowed_values(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv(f"RLVIZ_{name}", value)
    with pytest.raises(InvalidRequest) as caught:
        read_settings()
    assert says in str(caught.value)


def test_all_invalid_settings_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVIZ_PORT", "x")
    monkeypatch.setenv("RLVIZ_LAUNCHER", "y")
    with pytest.raises(InvalidRequest, match=r"RLVIZ_PORT: .*RLVIZ_LAUNCHER: "):
        read_settings()


def test_a_token_makes_the_service_reachable_from_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVIZ_TOKEN", "open-sesame-123")
    settings = read_settings(host="0.0.0.0")
    assert not settings.is_loopback


def test_the_settings_of_a_proxy_are_normalised_for_comparison() -> None:
    settings = read_settings(
        token="open-sesame-123",
        root_path="/user/a%40b.org/rl/",
        trusted_proxies="127.0.0.1, 10.0.0.7/8, ::1",
        allowed_hosts="RL.example.org, [2001:DB8::1], localhost",
    )
    assert settings.root_path == "/user/a%40b.org/rl"
    assert settings.trusted_proxies == ("127.0.0.1", "10.0.0.7/8", "::1")
    assert settings.allowed_hosts == ("rl.example.org", "2001:db8::1", "localhost")
    assert read_settings(root_path="/").root_path == ""
    assert read_settings(allowed_hosts="localhost").is_loopback, "no other machine gets in under these names"


def test_only_the_host_of_a_webhook_address_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVIZ_WEBHOOK_URL", "https://user:secret@hooks.example:8443/services/secret?key=secret")
    settings = read_settings()
    assert settings.webhook_address == settings.shown("webhook_url") == "https://hooks.example:8443/…"
    assert "secret" not in repr(settings)
    assert "secret" not in str(settings.as_json("webhook_url"))


def test_an_invalid_webhook_address_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVIZ_WEBHOOK_URL", "hooks.example/secret")
    with pytest.raises(InvalidRequest) as caught:
        read_settings()
    assert "secret" not in str(caught.value)


def test_origins_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVIZ_CORS_ORIGINS", " http://127.0.0.1:3000, http://localhost:3000 ,")
    assert read_settings().cors_origins == ("http://127.0.0.1:3000", "http://localhost:3000")


@cases(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_only_addresses_of_this_machine_are_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_every_setting_has_a_description() -> None:
    descriptions: list[Any] = [field.description for field in Settings.model_fields.values()]
    assert all(descriptions)


# Settings files


def test_environment_variables_override_a_settings_file_and_flags_override_both(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "rlviz.toml").write_text("# ours\nport = 1111\nkeep_film = 5\nmax_sessions = 3\n")
    (tmp_path / ".env").write_text("RLVIZ_KEEP_FILM=6\n")
    monkeypatch.setenv("RLVIZ_PORT", "2222")
    settings = read_settings(host="::1")
    assert (settings.port, settings.source_of("port")) == (2222, "environment")
    assert (settings.keep_film, settings.source_of("keep_film")) == (6, ".env")
    assert (settings.max_sessions, settings.source_of("max_sessions")) == (3, "rlviz.toml:4:1")
    assert (settings.host, settings.source_of("host")) == ("::1", "flag")


@pytest.mark.parametrize("name", ["mine.toml", "mine.yaml"])
def test_a_settings_file_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("port = 1111\n" if name.endswith("toml") else "port: 1111\nhost: localhost\n")
    monkeypatch.setenv("RLVIZ_CONFIG_FILE", name)
    assert (read_settings().port, read_settings().source_of("port")) == (1111, f"{name}:1:1")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("rlviz.toml", "port = 1\nhost = ", "rlviz.toml:2:8: Invalid value."),
        ("rlviz.toml", "port = 1\n\n  prot = 2\n", "rlviz.toml:3:3: There is no setting 'prot'. Did you mean port?"),
        ("rlviz.toml", 'host = "::1"\nport = 70000\n', "rlviz.toml:2:1: port: Input should be less than"),
        ("rlviz.yaml", "port: 1\nhost: [\n", "rlviz.yaml:3:1: "),
        ("rlviz.yaml", "port: 1\nhots: x\n", "rlviz.yaml:2:1: There is no setting 'hots'. Did you mean host?"),
        ("rlviz.yaml", "host: x\nport: many\n", "rlviz.yaml:2:1: port: "),
        ("rlviz.yaml", "- port\n", "rlviz.yaml:1:1: "),
        ("rlviz.yaml", "!!python/object:os.system x: 1\n", "rlviz.yaml:1:1: "),
        ("rlviz.yml", "? [a]\n: 1\n", "rlviz.yml:1:3: "),
    ],
)
def test_an_unusable_settings_file_is_named_with_line_and_column(
    tmp_path: Path, name: str, text: str, says: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidRequest) as caught:
        read_settings()
    assert says in str(caught.value)


@pytest.mark.parametrize("name", ["nowhere.toml", "folder.toml", "settings.ini", "bytes.toml"])
def test_an_invalid_settings_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "settings.ini").write_text("port=1")
    (tmp_path / "bytes.toml").write_bytes(b"port = 1\n\xff")
    with pytest.raises(InvalidRequest, match=name):
        read_settings(config_file=Path(name))


# Folders that may have been downloaded

NAMES_CODE = {
    "environments": "evil.py:Env",
    "frontend_dir": "pages",
    "webhook_url": "https://evil.example/",
    "token": "known-to-them",
    "cors_origins": "https://evil.example",
    "archive_dir": "/tmp/elsewhere",
    "runs_dir": "/tmp/elsewhere",
    "launcher": "thread",
    "config_file": "other.toml",
}
FILES = {
    "rlviz.toml": "{name} = '{value}'\n",
    "rlviz.yaml": "{name}: '{value}'\n",
    "rlviz.yml": "{name}: '{value}'\n",
    ".env": "RLVIZ_{upper}={value}\n",
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", NAMES_CODE)
def test_an_untrusted_folder_sets_no_code_path_or_address(tmp_path: Path, name: str, file: str) -> None:
    value = NAMES_CODE[name]
    (tmp_path / "other.toml").write_text("environments = 'evil.py:Env'\n")
    (tmp_path / file).write_text(FILES[file].format(name=name, upper=name.upper(), value=value))
    before = read_settings()
    assert before.source_of(name) == "default"
    assert before.environments == ()
    assert before.ignored is not None
    assert name in before.ignored
    assert "rlviz trust ." in before.ignored
    assert settings_that_need_trust(tmp_path) == [name]
    TrustStore().add_folder(tmp_path)
    after = read_settings()
    assert after.ignored is None
    assert after.source_of(name).startswith(file)


def test_harmless_settings_apply_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "rlviz.toml").write_text("port = 1111\nruns_dir = 'mine/runs'\ntrash_days = 1\n")
    settings = read_settings()
    assert (settings.port, settings.runs_dir, settings.trash_days, settings.ignored) == (
        1111,
        Path("mine/runs"),
        1,
        None,
    )


@pytest.mark.parametrize("runs_dir", ["../runs", "link/runs"])
def test_only_the_user_may_choose_a_runs_folder_outside_an_untrusted_folder(tmp_path: Path, runs_dir: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path.parent)
    (tmp_path / "rlviz.toml").write_text(f"runs_dir = '{runs_dir}'\n")
    assert read_settings().runs_dir == Path("runs")


def test_an_untrusted_folder_deletes_nothing_of_runs_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rlviz.toml").write_text("trash_days = 0\nkeep_eval_videos = 1\n")
    monkeypatch.setenv("RLVIZ_RUNS_DIR", str(tmp_path.parent / "runs"))
    settings = read_settings()
    assert (settings.trash_days, settings.keep_eval_videos) == (7, 3)
    assert read_settings(runs_dir=str(tmp_path / "below")).trash_days == 0


def test_the_users_own_configuration_applies_everywhere_with_the_lowest_priority(tmp_path: Path) -> None:
    user_folder().mkdir(parents=True)
    (user_folder() / "rlviz.toml").write_text("environments = 'mine.py:Env'\nport = 1111\nkeep_film = 5\n")
    (tmp_path / "rlviz.yaml").write_text("port: 2222\n")
    settings = read_settings()
    assert (settings.environments, settings.port, settings.keep_film) == (("mine.py:Env",), 2222, 5)
    assert settings.source_of("keep_film") == f"{user_folder() / 'rlviz.toml'}:3:1"
    assert settings.ignored is None


@pytest.mark.parametrize("given", ["flag", "environment"])
def test_a_settings_file_named_by_the_user_applies_completely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    (tmp_path / "mine.toml").write_text("environments = 'mine.py:Env'\nport = 1111\n")
    (tmp_path / ".env").write_text("RLVIZ_PORT=2222\n")
    flags = {"config_file": "mine.toml"} if given == "flag" else {}
    if given == "environment":
        monkeypatch.setenv("RLVIZ_CONFIG_FILE", "mine.toml")
    settings = read_settings(**flags)
    assert (settings.environments, settings.port) == (("mine.py:Env",), 2222)


def test_an_endless_dotenv_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / ".env").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InvalidRequest, match="more than"):
        read_settings()


def test_a_checkout_serves_the_pages_built_in_it() -> None:
    assert Settings(_env_file=None).frontend_dir == Path(__file__).parents[3] / "frontend" / "out"  # type: ignore[call-arg]
