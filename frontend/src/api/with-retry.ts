import { apiBase } from "./http";

const AGAIN_MS = 1_000;

/**
 * Loads a part of the page's code with `load`. While the service does not answer, it waits, and the page keeps its
 * content. Rejects if the service answers but does not have the code, because it is of another version.
 */
export const withRetry =
  <Loaded>(load: () => Promise<Loaded>, answers = serviceAnswers) =>
  async (): Promise<Loaded> => {
    try {
      return await load();
    } catch {
      while (!(await answers())) await new Promise((again) => setTimeout(again, AGAIN_MS));
      return load();
    }
  };

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
