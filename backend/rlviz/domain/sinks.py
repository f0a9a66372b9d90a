"""Sinks: other programs that runs are delivered to. The command line names them, so this imports nothing heavy."""

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
        """The package that it needs, which is the name of our extra for it too; None: it needs none."""
        return None if self is SinkKind.TENSORBOARD else self.value


LABELS = {
    SinkKind.WANDB: "Weights & Biases",
    SinkKind.MLFLOW: "MLflow",
    SinkKind.TRACKIO: "Trackio",
    SinkKind.TENSORBOARD: "TensorBoard",
}
