export { EvaluationCard } from "./evaluation-card";
