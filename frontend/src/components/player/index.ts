export { VideoDeck } from "./deck";
export { middleOf } from "./frames";
export { Player } from "./player";
export { type Chapter, chapterAt } from "./shortcuts";
export { Track } from "./track";
export { useDeck, useDeckState, useDeckTime } from "./use-deck";
