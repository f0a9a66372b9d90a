import { expect, test, vi } from "vitest";
import { ApiError, explainAction, pointerTo, problemFrom, unreachable, unwrap } from "./http";

const answer = (status: number, error?: unknown) =>
  Promise.resolve({ error, response: new Response(null, { status }) });

test("a pointer escapes what a name may hold", () =>
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

test("an answer that is no problem document still reads well", () => {
  expect(problemFrom(502, "<html>")).toMatchObject({ title: "The service answered 502" });
});

test("silence is an error of its own, and says what to do", async () => {
  const call = vi.fn(() => Promise.reject(new TypeError("Failed to fetch")));
  await expect(unwrap(call())).rejects.toMatchObject({ isUnreachable: true });
});

test("an action that failed promises nothing that only its user can do", () => {
  expect(explainAction(unreachable())).toBe(
    "The service does not answer. Check that the app is still running in its terminal. Then press again.",
  );
  const refused = new ApiError(409, "Run has ended", "It is completed.");
  expect(explainAction(refused)).toBe("Run has ended. It is completed.");
});

test("a cancelled request is no failure of the service", async () => {
  const cancelled = Promise.reject(new DOMException("left the page", "AbortError"));
  await expect(unwrap(cancelled)).rejects.toHaveProperty("name", "AbortError");
});
