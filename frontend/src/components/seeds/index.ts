/** How many seeds, or which: in the form of a new run, and in that of an experiment. */
export {
  LISTED,
  parseSeeds,
  SEED_COUNTS,
  type SeedChoice,
  seedFor,
  seedsWanted,
} from "./seed-choice";
export { SeedCount } from "./seed-count";
