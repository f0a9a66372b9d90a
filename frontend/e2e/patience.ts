/** For what trains, films or starts first: on a machine that others use too, it takes ten times as long as on a quiet one. */
export const PATIENCE = { timeout: 300_000 };
