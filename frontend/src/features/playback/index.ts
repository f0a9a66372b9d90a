export { EvaluationView } from "./evaluation-view";
export { RecordingPanel } from "./recording/recording-panel";
