export { EvaluationView } from "./evaluation-view";
