export { PlaybackController } from "./playback-controller";
export { frameAt, middleOf } from "./frames";
export { Key } from "./transport";
export { Player } from "./player";
export { type Chapter, chapterAt } from "./shortcuts";
export { VideoTrack } from "./video-track";
export { TROUBLE_TEXT, useVideoTrouble, type VideoTrouble } from "./use-video-trouble";
export { usePlaybackController, usePlaybackState, usePlaybackTime } from "./use-playback";
