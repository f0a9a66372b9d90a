/** Where the page shows the agent of a run. */
export const AGENT_ANCHOR = "agent";
