export { type AgentViewName, chooseAgentView, useAgentView } from "./agent-view";
export { changeQueryString, searchOf } from "./change-query-string";
export { COLOR_BY, type ColorBy, readComparison, writeComparison } from "./comparison";
export * from "./list-filter";
export { isRunId, routes } from "./routes";
export { useQueryString } from "./use-query-string";
export { writeAfter } from "./write-after";
