"""RunPlaces: the environment of each run, with the scale of its returns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import orjson

from rlviz.analysis.return_scale import Place
from rlviz.catalog.database import Database
from rlviz.catalog.runs import environments_of
from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.services.use_cases.environment_scales import environment_title, scale_of
from rlviz.services.use_cases.environments import EnvironmentService


class RunPlaces:
    def __init__(self, database: Database, environments: EnvironmentService) -> None:
        self._database, self._environments = database, environments

    def of(self, run_ids: Collection[str]) -> dict[str, Place]:
        """By run id. The title of an environment has its options only where runs have different ones."""
        with self._database.read() as session:
            found = environments_of(session, run_ids)
        kinds = {run_id: (env_id, _sorted(options)) for run_id, (env_id, options) in found.items()}
        places = {kind: self._place(kind[0], orjson.loads(kind[1])) for kind in set(kinds.values())}
        titles: dict[str, set[str]] = {}
        for place in places.values():
            titles.setdefault(place.env_id, set()).add(place.title)
        places = {
            kind: replace(place, title=place.env_id) if len(titles[place.env_id]) == 1 else place
            for kind, place in places.items()
        }
        return {run_id: places[kind] for run_id, kind in kinds.items()}

    def _place(self, env_id: str, options: dict[str, Any]) -> Place:
        try:
            environment = self._environments.get(env_id).resolve(options)
        except (UnknownName, InvalidRequest):  # it is not configured any more
            return Place(environment_title(env_id, options), env_id, None)
        return Place(environment_title(env_id, environment.chosen), env_id, scale_of(environment))


def _sorted(options: dict[str, Any]) -> bytes:
    return orjson.dumps(options, option=orjson.OPT_SORT_KEYS)
