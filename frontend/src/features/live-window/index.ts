export { AgentViews, type AgentView } from "./agent-views";
export { LiveWindow } from "./live-window";
