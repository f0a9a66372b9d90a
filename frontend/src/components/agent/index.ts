/**
 * The one place of a page where an agent is seen. `AgentViews` is the place, with one view of it at a time; each view
 * lays itself out by `ViewLayout` and shows its picture on a `Stage`, so that nothing jumps when another is chosen.
 */
export { AgentViews } from "./agent-views";
export { Stage, StageNote } from "./stage";
export { useCornerWindow } from "./use-corner-window";
export { ViewLayout } from "./view-layout";
