/** Choosing runs by text, status, algorithm, environment and tag. */
export { FilterButton } from "./filter-button";
export { SearchBox } from "./search-box";
