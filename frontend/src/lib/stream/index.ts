export { type Column } from "./column";
export { type ConnectionState } from "./events";
export { type FeedState } from "./feed";
export { useConnectionState, useRunSeries } from "./hooks";
export { StreamProvider } from "./provider";
export { RunSeries } from "./run-series";
export { extremes } from "./thin";
