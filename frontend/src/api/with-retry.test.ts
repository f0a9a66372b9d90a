import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withRetry } from "./with-retry";

const answers = vi.fn<() => Promise<boolean>>();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => void answers.mockReset());

test("code that is there is loaded once, and the service is not asked", async () => {
  const load = vi.fn().mockResolvedValue("code");
  await expect(withRetry(load, answers)()).resolves.toBe("code");
  expect(load).toHaveBeenCalledTimes(1);
  expect(answers).not.toHaveBeenCalled();
});

test("while the service is away the code is waited for", async () => {
  const load = vi.fn().mockRejectedValueOnce(new Error("no connection")).mockResolvedValue("code");
  answers.mockResolvedValueOnce(false).mockResolvedValueOnce(false).mockResolvedValue(true);
  const loaded = withRetry(load, answers)();
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(loaded).resolves.toBe("code");
  expect(answers).toHaveBeenCalledTimes(3);
});

test("a service that answers and does not have the code is not asked for it again and again", async () => {
  const load = vi.fn().mockRejectedValue(new Error("404"));
  answers.mockResolvedValue(true);
  await expect(withRetry(load, answers)()).rejects.toThrow("404");
  expect(load).toHaveBeenCalledTimes(2);
});
