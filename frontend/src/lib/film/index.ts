/** A run's filmstrip: the policies that it keeps, and clips of what they do, made when somebody looks. */
export { type Frame, frames, nextToFilm, policyAfter, policyAt, USUAL_WISH } from "./moments";
export { useClip, useFilm, useGrowthVideo, useSomePictures } from "./use-film";
