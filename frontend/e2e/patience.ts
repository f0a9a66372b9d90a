/** Timeout for training, filming and starting, which take ten times as long on a busy machine. */
export const PATIENCE = { timeout: 300_000 };
