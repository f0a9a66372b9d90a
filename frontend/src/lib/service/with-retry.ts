import { serviceAnswers } from "../api/queries/answers";

const AGAIN_MS = 1_000;

/**
 * Loads a part of the page's code as `load` does. While the service is away it waits for it, and the page
 * keeps what it shows. Rejects when a service that answers does not have the code: it is of another version.
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
