export { type PlanDraft, type PlanProblems, planDraft, planOf, planText } from "./plan";
export { PlanFields } from "./plan-fields";
