/** Where the page puts the playback of a run. */
export const PLAYBACK_ANCHOR = "playback";
