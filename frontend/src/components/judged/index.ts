/**
 * The episodes of all evaluations of one run or several: how they end, and a search.
 *
 *     <JudgedEpisodes runs={[run]} onWatch={({ run, evaluation, frame }) => …} />
 */
export { Endings } from "./endings";
export { EpisodeSearch } from "./episode-search";
export { JudgedEpisodes } from "./judged-episodes";
export type { JudgedRun, WatchedEpisode } from "./judged";
