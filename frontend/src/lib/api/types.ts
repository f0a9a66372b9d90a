import type { components } from "./schema";

type Schemas = components["schemas"];

export type Run = Schemas["Run"];
export type RunDetail = Schemas["RunDetail"];
export type RunStatus = Run["status"];
export type RunPage = Schemas["RunPage"];
export type RunConfig = Schemas["RunConfig"];
export type CreateRun = Schemas["CreateRun"];
export type Evaluation = Schemas["Evaluation"];
export type EvaluationStatus = Evaluation["status"];
export type EvaluationSummary = Schemas["EvaluationSummary"];
export type EvaluatedEpisode = EvaluationSummary["episodes"][number];
export type Algorithm = Schemas["Algorithm"];
export type Environment = Schemas["Environment"];
export type Hyperparameter = Schemas["Hyperparameter"];
export type Preset = Schemas["Preset"];
export type Health = Schemas["Health"];
export type MetricRow = Schemas["MetricRow"];
export type MetricColumns = Schemas["MetricColumns"];
