import type { SearchResults } from "./types";

/** How values can be proposed. */
export const SAMPLERS: Record<SearchResults["sampler"], string> = {
  tpe: "TPE",
  "cma-es": "CMA-ES",
  "gaussian-process": "Gaussian process",
  random: "Random",
  grid: "Grid",
};

/** When trials can be given up. */
export const PRUNERS: Record<SearchResults["pruner"], string> = {
  none: "None",
  median: "Median",
  "successive-halving": "Successive halving",
  hyperband: "Hyperband",
};
