import { apiBase } from "../base";

const PATIENCE_MS = 4_000;

/** Whether the service responds at all, with whatever status. */
export async function serviceAnswers(): Promise<boolean> {
  try {
    await fetch(`${apiBase}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return true;
  } catch {
    return false;
  }
}
