"""Rules and knobs: what changes about a run while it trains."""

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane, in_lane
from rlviz.api.problems import documented
from rlviz.api.registry_views import view_knob
from rlviz.api.router import Router
from rlviz.api.schemas.rules import DryRun, KnobsBody, RuleFiring, RulesBody, RunKnob, RunKnobs, RunRules
from rlviz.domain.errors import (
    ArtifactNotFound,
    InvalidRequest,
    NewerVersion,
    NotControlled,
    NotTraining,
    RunFolderError,
    RunNotFound,
)
from rlviz.domain.rules import UNRECORDED, Rule
from rlviz.services.application import Application

router = Router(prefix="/runs/{run_id}", tag="rules", lane=Lane.READS)

MAX_FIRINGS = 1_000

_CHANGING = documented(RunNotFound, ArtifactNotFound, InvalidRequest, NotControlled, NewerVersion, RunFolderError)


@router.get("/rules", responses=documented(RunNotFound, ArtifactNotFound, RunFolderError))
def get_rules(run_id: str, app: App) -> RunRules:
    """What the run does by itself."""
    return _rules(run_id, app.rules.rules(run_id))


@router.put("/rules", responses=_CHANGING)
def put_rules(run_id: str, body: RulesBody, app: App) -> RunRules:
    """Replace the rules: from the next row on in a run that trains. Those that stay go on from what they have seen."""
    return _rules(run_id, app.rules.change(run_id, body.rules))


@router.post("/rules/dry-run", responses=_CHANGING)
@in_lane(Lane.CURVES)
def dry_run_rules(run_id: str, body: RulesBody, app: App) -> DryRun:
    """Where these rules would have fired over the rows that the run has. Nothing is changed."""
    found = app.rules.dry_run(run_id, body.rules)
    firings = [
        RuleFiring(
            rule=one.number,
            step=one.step,
            count=one.count,
            says=one.rule.words,
            done=[action.words for action in one.actions],
            not_done=list(one.left_out),
        )
        for one in found[:MAX_FIRINGS]
    ]
    unknown = [number for number, rule in enumerate(body.rules, start=1) if isinstance(rule.when, UNRECORDED)]
    return DryRun(run_id=run_id, firings=firings, total=len(found), unknown=unknown)


@router.get("/knobs", responses=documented(RunNotFound, ArtifactNotFound, NotControlled, NewerVersion, RunFolderError))
def get_knobs(run_id: str, app: App) -> RunKnobs:
    """The hyperparameters of the run that can be adjusted while it trains."""
    return _knobs(run_id, app)


@router.patch(
    "/knobs",
    status_code=202,
    responses=documented(
        RunNotFound, ArtifactNotFound, InvalidRequest, NotTraining, NotControlled, NewerVersion, RunFolderError
    ),
)
def patch_knobs(run_id: str, body: KnobsBody, app: App) -> RunKnobs:
    """Ask a run that trains to change some of them, at the start of its next rollout."""
    app.rules.turn(run_id, body.changes)
    return _knobs(run_id, app)


def _rules(run_id: str, rules: tuple[Rule, ...]) -> RunRules:
    return RunRules(run_id=run_id, rules=list(rules), words=[rule.words for rule in rules])


def _knobs(run_id: str, app: Application) -> RunKnobs:
    knobs = [
        RunKnob(
            **view_knob(state.knob, state.range).model_dump(),
            configured=state.configured,
            is_scheduled=state.is_scheduled,
            follows_schedule=state.follows_schedule,
            changed=state.changed,
            waiting=list(state.waiting),
        )
        for state in app.rules.knobs(run_id)
    ]
    return RunKnobs(run_id=run_id, knobs=knobs)
