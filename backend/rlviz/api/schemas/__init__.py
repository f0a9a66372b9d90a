"""What goes over the wire. The TypeScript types are generated from these."""

from rlviz.api.schemas.anatomy import RunAnatomy
from rlviz.api.schemas.choices import (
    AlgorithmInfo,
    EnvironmentInfo,
    EnvironmentVariant,
    HyperparameterField,
    MeasuredPreset,
    MetricDefinitions,
    MetricGroupInfo,
    MetricInfo,
    PresetInfo,
    RandomReturnInfo,
    SpaceInfo,
)
from rlviz.api.schemas.comparison import (
    ComparedRun,
    Comparison,
    ConfigDifference,
    FigureComparison,
    RunGroup,
    Verdict,
)
from rlviz.api.schemas.episodes import (
    EpisodeEnding,
    EpisodeEndings,
    EpisodeExample,
    EvaluationJudgement,
    FoundEpisode,
    FoundEpisodes,
    JudgedEvaluation,
    KeyMoment,
    RankedEpisodes,
    ReturnBin,
)
from rlviz.api.schemas.evaluations import Evaluation, EvaluationCreate
from rlviz.api.schemas.events import RunEvent, RunEvents
from rlviz.api.schemas.film import Clip, ClipCreate, GrowthVideoCreate, Policies
from rlviz.api.schemas.hints import Hint, HintRule, LookedAt, Minimum, RunHints
from rlviz.api.schemas.metrics import MetricCurve, MetricCurves, MetricRows, RunsMetricCurves, SmoothedCurve
from rlviz.api.schemas.problems import Problem, ProblemField
from rlviz.api.schemas.runs import Run, RunCreate, RunDetail, RunPage, RunPatch, Solved, Tag, TagCount, TagList
from rlviz.api.schemas.service import Health, StorageProfileInfo
from rlviz.api.schemas.sessions import Session, SessionCreate
from rlviz.api.schemas.steps import StepColumns, StepComponents, StepsInfo
from rlviz.api.schemas.stream import STREAM_EVENTS, EndEventData, EvaluationEventData, MetricsEventData, StatusEventData
from rlviz.api.schemas.trash import DeletedRun, TrashList
from rlviz.api.schemas.value_slices import RunValueSlice, SliceAxis, SliceUnderWay
from rlviz.domain.limits import Bounds, Limits

__all__ = [
    "STREAM_EVENTS",
    "AlgorithmInfo",
    "Bounds",
    "Clip",
    "ClipCreate",
    "ComparedRun",
    "Comparison",
    "ConfigDifference",
    "DeletedRun",
    "EndEventData",
    "EnvironmentInfo",
    "EnvironmentVariant",
    "EpisodeEnding",
    "EpisodeEndings",
    "EpisodeExample",
    "Evaluation",
    "EvaluationCreate",
    "EvaluationEventData",
    "EvaluationJudgement",
    "FigureComparison",
    "FoundEpisode",
    "FoundEpisodes",
    "GrowthVideoCreate",
    "Health",
    "Hint",
    "HintRule",
    "HyperparameterField",
    "JudgedEvaluation",
    "KeyMoment",
    "Limits",
    "LookedAt",
    "MeasuredPreset",
    "MetricCurve",
    "MetricCurves",
    "MetricDefinitions",
    "MetricGroupInfo",
    "MetricInfo",
    "MetricRows",
    "MetricsEventData",
    "Minimum",
    "Policies",
    "PresetInfo",
    "Problem",
    "ProblemField",
    "RandomReturnInfo",
    "RankedEpisodes",
    "ReturnBin",
    "Run",
    "RunAnatomy",
    "RunCreate",
    "RunDetail",
    "RunEvent",
    "RunEvents",
    "RunGroup",
    "RunHints",
    "RunPage",
    "RunPatch",
    "RunValueSlice",
    "RunsMetricCurves",
    "Session",
    "SessionCreate",
    "SliceAxis",
    "SliceUnderWay",
    "SmoothedCurve",
    "Solved",
    "SpaceInfo",
    "StatusEventData",
    "StepColumns",
    "StepComponents",
    "StepsInfo",
    "StorageProfileInfo",
    "Tag",
    "TagCount",
    "TagList",
    "TrashList",
    "Verdict",
]
