import { afterEach, vi } from "vitest";

// Vitest itself does this before a test, which leaves what the last one of a file changed to the imports of the next
// file, and never gives real timers back.
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
