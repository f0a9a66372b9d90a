import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withRetry } from "./with-retry";

const answers = vi.fn<() => Promise<boolean>>();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => void answers.mockReset());

test("available code is loaded once, without a request to the service", async () => {
  const load = vi.fn().mockResolvedValue("code");
  await expect(withRetry(load, answers)()).resolves.toBe("code");
  expect(load).toHaveBeenCalledTimes(1);
  expect(answers).not.toHaveBeenCalled();
});

test("code is waited for while the service is unreachable", async () => {
  const load = vi.fn().mockRejectedValueOnce(new Error("no connection")).mockResolvedValue("code");
  answers.mockResolvedValueOnce(false).mockResolvedValueOnce(false).mockResolvedValue(true);
  const loaded = withRetry(load, answers)();
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(loaded).resolves.toBe("code");
  expect(answers).toHaveBeenCalledTimes(3);
});

test("a service that responds without the code is not asked repeatedly", async () => {
  const load = vi.fn().mockRejectedValue(new Error("404"));
  answers.mockResolvedValue(true);
  await expect(withRetry(load, answers)()).rejects.toThrow("404");
  expect(load).toHaveBeenCalledTimes(2);
});
