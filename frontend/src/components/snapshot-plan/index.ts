export { type PlanDraft, type PlanProblems, planDraft, planOf, planWords } from "./plan";
export { PlanFields } from "./plan-fields";
