import type { components } from "./schema";

type Schemas = components["schemas"];

export type Run = Schemas["Run"];
export type RunDetail = Schemas["RunDetail"];
export type RunStatus = Run["status"];
export type RunPage = Schemas["RunPage"];
export type RunConfig = Schemas["RunConfig"];
export type CreateRun = Schemas["RunCreate"];
export type PatchRun = Schemas["RunPatch"];
export type RunEvent = Schemas["RunEvent"];
export type Hint = Schemas["Hint"];
export type Evaluation = Schemas["Evaluation"];
export type CreateEvaluation = Schemas["EvaluationCreate"];
export type EvaluatedEpisode = Schemas["EvaluationSummary"]["episodes"][number];
export type Algorithm = Schemas["AlgorithmInfo"];
export type Environment = Schemas["EnvironmentInfo"];
export type Hyperparameter = Schemas["HyperparameterField"];
export type Preset = Schemas["PresetInfo"];
export type Comparison = Schemas["Comparison"];
export type ComparedRun = Schemas["ComparedRun"];
export type ConfigDifference = Schemas["ConfigDifference"];
export type MetricRow = Schemas["MetricRecord"];
export type MetricCurves = Schemas["MetricCurves"];
export type MetricsEvent = Schemas["MetricsEventData"];
export type StatusEvent = Schemas["StatusEventData"];
export type EvaluationEvent = Schemas["EvaluationEventData"];
export type EndEvent = Schemas["EndEventData"];
