import { expect, test, vi } from "vitest";
import { ApiError, explainAction, pointerTo, problemFrom, unreachable, unwrap } from "./http";

const answer = (status: number, error?: unknown) =>
  Promise.resolve({ error, response: new Response(null, { status }) });

test("a pointer escapes special characters of a name", () =>
  expect(pointerTo("env_options", "a/b~c")).toBe("/env_options/a~1b~0c"));

test("a problem keeps its fields by pointer", async () => {
  const body = {
    title: "Invalid run",
    detail: "1 field",
    errors: [{ pointer: "/seed", detail: "must be an integer" }, "junk"],
  };
  const error = await unwrap(answer(422, body)).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    status: 422,
    title: "Invalid run",
    fields: [{ pointer: "/seed", detail: "must be an integer" }],
  });
});

test("a response that is not a problem document is still readable", () => {
  expect(problemFrom(502, "<html>")).toMatchObject({ title: "The service answered 502" });
});

test("no response is an error of its own and says what to do", async () => {
  const call = vi.fn(() => Promise.reject(new TypeError("Failed to fetch")));
  await expect(unwrap(call())).rejects.toMatchObject({ isUnreachable: true });
});

test("a failed action tells the user to try again and promises no automatic retry", () => {
  expect(explainAction(unreachable())).toBe(
    "The service does not answer. Check that the app is still running in its terminal. Then press again.",
  );
  const refused = new ApiError(409, "Run has ended", "It is completed.");
  expect(explainAction(refused)).toBe("Run has ended. It is completed.");
});

test("a cancelled request is not a failure of the service", async () => {
  const cancelled = Promise.reject(new DOMException("left the page", "AbortError"));
  await expect(unwrap(cancelled)).rejects.toHaveProperty("name", "AbortError");
});
