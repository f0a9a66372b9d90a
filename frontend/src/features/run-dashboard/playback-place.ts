/** Where the page puts the playback of a run. */
export const PLAYBACK_ID = "playback";
