/** A run's filmstrip: the policies it keeps, and clips of them, which are rendered on request. */
export { frames, policyAfter, policyAt, DEFAULT_CLIP_OPTIONS } from "./moments";
export { useClip, useFilm, useGrowthVideo, useThumbnails } from "./use-film";
