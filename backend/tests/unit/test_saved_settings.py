"""Settings saved by the Settings page: precedence, validation and damaged files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rlviz.domain.errors import InvalidRequest, SettingLocked
from rlviz.server.settings import DAMAGED_FILE, SettingsService
from rlviz.settings import CHANGEABLE, PREFIX, SAVED_FILE, SAVED_SOURCE, Settings, read_settings


@pytest.fixture(autouse=True)
def runs_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the runs folder of an environment without settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in Settings.model_fields:
        monkeypatch.delenv(f"{PREFIX}{name}".upper(), raising=False)
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


def test_settings_that_name_code_paths_addresses_or_secrets_cannot_be_changed() -> None:
    forbidden = {
        *("host", "port", "runs_dir", "launcher", "environments", "token", "root_path", "trusted_proxies"),
        *("allowed_hosts", "webhook_url", "frontend_dir", "cors_origins", "config_file", "archive_dir"),
        *("roms", "trust_runs_dir"),
    }
    assert Settings.model_fields.keys() - forbidden == CHANGEABLE


def test_a_change_takes_effect_immediately_and_after_a_restart(runs_dir: Path) -> None:
    settings, woken = read_settings(), []
    SettingsService(settings, lambda: woken.append(1)).change(
        {"max_concurrent_runs": 7, "max_bytes": "50GB", "storage": {"atari": {"detail": "off"}}, "niceness": 3}
    )
    assert (settings.max_concurrent_runs, settings.source_of("max_concurrent_runs")) == (7, SAVED_SOURCE)
    assert settings.max_bytes == 50_000_000_000
    assert settings.storage_profile("atari").detail == "off"
    assert (settings.niceness, settings.source_of("niceness")) == (10, "default"), "it is read at the start"
    assert woken == [1]
    again = read_settings()
    assert (again.max_concurrent_runs, again.max_bytes, again.niceness) == (7, 50_000_000_000, 3)
    assert json.loads((runs_dir / SAVED_FILE).read_text())["niceness"] == 3


def test_variables_override_saved_values_and_saved_values_override_files(
    monkeypatch: pytest.MonkeyPatch, runs_dir: Path
) -> None:
    (runs_dir / SAVED_FILE).write_text('{"max_sessions": 5, "keep_film": 9, "trash_days": 2}')
    (runs_dir.parent / "rlviz.toml").write_text("max_sessions = 4\n")
    (runs_dir.parent / ".env").write_text("RLVIZ_TRASH_DAYS=3\n")
    monkeypatch.setenv("RLVIZ_KEEP_FILM", "8")
    settings = read_settings()
    assert (settings.max_sessions, settings.keep_film, settings.trash_days) == (5, 8, 3)
    service = SettingsService(settings)
    with pytest.raises(SettingLocked, match="RLVIZ_KEEP_FILM is set by an environment variable"):
        service.change({"keep_film": 1, "max_sessions": 1})
    assert settings.max_sessions == 5, "nothing is changed if one of them cannot be"
    service.change({"max_sessions": None, "keep_film": None})
    assert (settings.max_sessions, settings.keep_film) == (4, 8)
    assert "rlviz.toml" in settings.source_of("max_sessions")
    assert json.loads((runs_dir / SAVED_FILE).read_text()) == {"trash_days": 2.0}


@pytest.mark.parametrize(
    ("changes", "pointer", "says"),
    [
        ({"max_concurrent_runs": 0}, "/max_concurrent_runs", "1"),
        ({"keep_clips": "much"}, "/keep_clips", ""),
        ({"storage": {"atary": {}}}, "/storage", "There is no family 'atary'"),
        ({"on_exit": "burn"}, "/on_exit", "pause"),
        ({"token": "open-sesame-123"}, "/token", "cannot be changed here"),
        ({"port": 1}, "/port", "cannot be changed here"),
        ({"max_sesions": 1}, "/max_sesions", "Did you mean max_sessions?"),
    ],
)
def test_an_invalid_value_is_refused_with_its_position(
    runs_dir: Path, changes: dict[str, object], pointer: str, says: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        SettingsService(read_settings()).change(changes)  # type: ignore[arg-type]
    assert caught.value.fields[0].pointer == pointer
    assert says in str(caught.value)
    assert not (runs_dir / SAVED_FILE).exists()


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"1" * (1 << 21)])
def test_a_damaged_file_is_reported_and_replaced_by_the_next_change(runs_dir: Path, content: bytes) -> None:
    (runs_dir / SAVED_FILE).write_bytes(content)
    settings = read_settings()
    assert settings.saved_problem is not None
    assert "Fix or delete the file" in settings.saved_problem
    service = SettingsService(settings)
    service.change({"max_sessions": 3})
    assert (service.problem, read_settings().max_sessions) == (None, 3)
    assert (runs_dir / DAMAGED_FILE).read_bytes() == content


def test_valid_settings_of_a_saved_file_apply_and_names_of_later_versions_stay(runs_dir: Path) -> None:
    (runs_dir / SAVED_FILE).write_text('{"max_sessions": 3, "keep_film": -1, "token": "x", "of_a_later_version": 1}')
    settings = read_settings()
    assert (settings.max_sessions, settings.keep_film, settings.token) == (3, 40, None)
    assert settings.saved_problem is not None
    for name in ("keep_film", "token", "of_a_later_version"):
        assert name in settings.saved_problem
    SettingsService(settings).change({"trash_days": 1})
    saved = json.loads((runs_dir / SAVED_FILE).read_text())
    assert saved == {"max_sessions": 3, "trash_days": 1.0, "of_a_later_version": 1}


def test_each_changeable_setting_says_how_it_is_edited() -> None:
    described = SettingsService(read_settings()).describe()
    found = {one.name: one.change for one in described if one.change is not None}
    assert found.keys() == CHANGEABLE
    assert {name: change.kind for name, change in found.items()} == {
        **dict.fromkeys(("max_concurrent_runs", "niceness", "max_sessions", "keep_film"), "integer"),
        **dict.fromkeys(("keep_eval_videos", "resume_attempts"), "integer"),
        **dict.fromkeys(("memory_limit", "snapshot_bytes", "keep_clips", "min_free_disk", "max_bytes"), "bytes"),
        **dict.fromkeys(("trash_days", "terminate_after_seconds", "kill_after_seconds"), "number"),
        **dict.fromkeys(("log_format", "on_exit", "resume"), "choice"),
        **{"warm_worker": "switch", "storage": "json"},
    }
    runs = found["max_concurrent_runs"]
    assert (runs.minimum, runs.maximum, runs.applies, runs.saved) == (1, 256, "now", None)
    assert (found["on_exit"].choices, found["niceness"].applies) == (["pause", "stop", "leave"], "restart")
