export {
  COLOR_BY,
  type ColorBy,
  type ComparisonAddress,
  readComparison,
  writeComparison,
} from "./comparison";
export * from "./list-filter";
export { isRunId, routes } from "./routes";
export { useQueryString } from "./use-query-string";
