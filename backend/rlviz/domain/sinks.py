"""Sinks: other programs that receive runs. The command line lists them, so this module imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum


class SinkKind(StrEnum):
    WANDB = "wandb"
    MLFLOW = "mlflow"
    TRACKIO = "trackio"
    TENSORBOARD = "tensorboard"

    @property
    def label(self) -> str:
        return LABELS[self]

    @property
    def package(self) -> str | None:
        """The package that the sink needs, also the name of our extra for it; None: no package."""
        return None if self is SinkKind.TENSORBOARD else self.value


LABELS = {
    SinkKind.WANDB: "Weights & Biases",
    SinkKind.MLFLOW: "MLflow",
    SinkKind.TRACKIO: "Trackio",
    SinkKind.TENSORBOARD: "TensorBoard",
}
