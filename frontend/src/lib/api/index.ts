export { apiBase, apiLink } from "./base";
export { keys } from "./keys";
export { hasEnded, hasLength, isActive, progress } from "./run-status";
export { ApiError, explainAction, type FieldProblem, pointerTo, problemFrom } from "./problem";
export {
  algorithmsQuery,
  environmentsQuery,
  limitsQuery,
  metricDefinitionsQuery,
} from "./queries/choices";
export { deleteOwnPreset, measuringSpecification } from "./queries/presets";
export { measuredCurveQuery } from "./queries/measured-curve";
export {
  type AnalyticsQuestion,
  analyticsSchemaQuery,
  groupCurvesQuery,
  runGroupsQuery,
  runScatterQuery,
  sqlQuery,
} from "./queries/analytics";
export { isFileGone } from "./queries/files";
export { comparisonQuery, meanReturnsQuery, seedCurvesQuery } from "./queries/comparison";
export { endingsQuery, episodeSearchQuery, judgementQuery } from "./queries/episodes";
export { evaluate, evaluationsQuery } from "./queries/evaluations";
export {
  type ClipOptions,
  clipQuery,
  clipsQuery,
  growthVideoQuery,
  pictureQuery,
  policiesQuery,
} from "./queries/film";
export {
  clipPictures,
  clipSaliencyQuery,
  evaluationPictures,
  type KeptPictures,
  saliencyQuery,
  type SeenStep,
} from "./queries/seen";
export { valueSliceQuery } from "./queries/value-slice";
export { healthQuery } from "./queries/health";
export {
  fetchMetricHistories,
  fetchMetricHistory,
  type HistoryQuery,
  metricCurveQuery,
} from "./queries/metric-history";
export { runSearchQuery } from "./queries/run-search";
export { artifactLink, fetchJson, fetchTail } from "./queries/artifacts";
export { anatomyQuery } from "./queries/anatomy";
export { driftQuery } from "./queries/drift";
export { hintsQuery } from "./queries/hints";
export { familyQuery } from "./queries/family";
export { runEventsQuery } from "./queries/run-events";
export { hasPast, pastQuery } from "./queries/past";
export { lastRowsQuery } from "./queries/last-rows";
export { runQuery } from "./queries/run";
export {
  createRun,
  deleteRun,
  patchRun,
  pauseRun,
  repairRun,
  restoreRun,
  resumeRun,
  rollBackRun,
  startRun,
  stopRun,
} from "./queries/run-actions";
export {
  createExperiment,
  deleteExperiment,
  directExperiment,
  experimentEstimateQuery,
  experimentExport,
  experimentQuery,
  experimentReport,
  experimentResultsQuery,
  experimentsQuery,
  keepAsPreset,
  searchQuery,
  type ExportFormat,
  type WantedResults,
} from "./queries/experiments";
export { addSeeds, createGroup, groupRunsQuery, MOST_GROUPS } from "./queries/groups";
export { type RunFilter, runPageQuery, RUNS_A_PAGE, runsByIdQuery } from "./queries/run-list";
export { serviceAnswers } from "./queries/answers";
export { createSession, endSession, sessionsQuery } from "./queries/sessions";
export { emptyTrash, removeForGood, trashQuery } from "./queries/trash";
export {
  recordsOf,
  type StepFormat,
  type StepSearch,
  type RecordedSteps,
  stepsExport,
  stepsQuery,
  useClipSteps,
  useEvaluationSteps,
  verificationQuery,
  verifySteps,
} from "./queries/steps";
export {
  deleteSnapshot,
  changeSnapshotPlan,
  forkChangesQuery,
  forkRun,
  keepSnapshot,
  snapshotVerificationQuery,
  snapshotsQuery,
  takeSnapshot,
  verifySnapshot,
} from "./queries/snapshots";
export { tagsQuery } from "./queries/tags";
export type * from "./types";
export {
  environmentOfRun,
  type OptionValues,
  hyperparametersFor,
  presetsFor,
  recommendedPreset,
  randomReturnOfRun,
  variantFor,
} from "./variant";
