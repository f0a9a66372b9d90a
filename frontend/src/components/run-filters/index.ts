/** Choosing runs by text, status, algorithm, environment and tag. */
export { FilterButtons } from "./filter-buttons";
export { SearchBox } from "./search-box";
