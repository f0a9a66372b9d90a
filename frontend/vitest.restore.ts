import { afterEach, vi } from "vitest";

// Vitest's own options do this only before the next test: the next file would be imported with what the last test
// changed, and with its timers.
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
