/** A run's filmstrip: the policies it keeps, and clips of them, which are rendered on request. */
export { frames, policyAfter, policyAt, USUAL_WISH } from "./moments";
export { useClip, useFilm, useGrowthVideo, useSomePictures } from "./use-film";
