export { type ComparisonView, MAX_COMPARED, readComparison, writeComparison } from "./comparison";
export {
  type ListFilter,
  readListFilter,
  STATUS_GROUPS,
  type StatusGroup,
  toRunFilter,
  writeListFilter,
} from "./list-filter";
export { isRunId, routes } from "./routes";
export { useQueryString } from "./use-query-string";
