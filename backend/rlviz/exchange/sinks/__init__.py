"""Sinks: one module per program that receives runs, and their registry."""

from __future__ import annotations

from rlviz.domain.registry import Registry
from rlviz.domain.sinks import SinkKind
from rlviz.exchange.sinks.sink import Sink

SINKS: Registry[type[Sink]] = Registry(
    "sink",
    {
        SinkKind.WANDB: "rlviz.exchange.sinks.wandb:WandbSink",
        SinkKind.MLFLOW: "rlviz.exchange.sinks.mlflow:MlflowSink",
        SinkKind.TRACKIO: "rlviz.exchange.sinks.trackio:TrackioSink",
        SinkKind.TENSORBOARD: "rlviz.exchange.sinks.tensorboard:TensorBoardSink",
    },
    "/sinks",
)
"""Loaded on first use: their packages take seconds to import, and the app does not need them."""
