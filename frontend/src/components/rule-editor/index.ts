export { draftOf, type RuleDraft, type Vocabulary, withOwnKeys, written } from "./draft";
export { RuleList } from "./rule-list";
export { type Warning, warningsOf } from "./warnings";
export { metricsFor } from "./vocabulary";
export { DryRunFirings } from "./dry-run";
