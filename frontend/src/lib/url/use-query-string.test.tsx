import { act, fireEvent, render, screen } from "@testing-library/react";
import { startTransition, use, useEffect, useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { useQueryString } from "./use-query-string";

/** A router that follows the address when the test says so. */
const router = vi.hoisted(() => ({ follow: () => {}, release: () => {} }));
vi.mock("next/navigation", () => ({
  useSearchParams: () => {
    const [held, hold] = useState<Promise<string> | string>(window.location.search);
    useEffect(() => {
      router.follow = () =>
        startTransition(() =>
          hold(
            new Promise<string>((resolve) => {
              router.release = () => resolve(window.location.search);
            }),
          ),
        );
    }, []);
    return new URLSearchParams(typeof held === "string" ? held : use(held));
  },
}));

beforeEach(() => {
  window.history.replaceState(null, "", "/runs?q=a");
  const replace = window.history.replaceState.bind(window.history);
  vi.spyOn(window.history, "replaceState").mockImplementation((...given) => {
    replace(...given);
    router.follow();
  });
});

function Page() {
  const [query, change] = useQueryString();
  const set = (name: string) => () =>
    change((now) => {
      now.set(name, "1");
      return `?${now}`;
    });
  return (
    <>
      <button onClick={set("x")}>x</button>
      <button onClick={set("y")}>y</button>
      <button onClick={() => change(() => "")}>clear</button>
      <output>{`${query}`}</output>
    </>
  );
}

const press = (name: string) =>
  act(async () => void fireEvent.click(screen.getByRole("button", { name })));
const shown = () => screen.getByRole("status").textContent;

test("changes add up and are shown before the router has followed, and stay once it has", async () => {
  render(<Page />);
  await press("x");
  expect(shown()).toBe("q=a&x=1");
  await press("y");
  expect(shown()).toBe("q=a&x=1&y=1");
  expect(window.location.search).toBe("?q=a&x=1&y=1");
  await act(async () => router.release());
  expect(shown()).toBe("q=a&x=1&y=1");
});

test("an empty query string leaves no question mark", async () => {
  render(<Page />);
  await press("clear");
  expect(window.location.href).toMatch(/\/runs$/);
  await act(async () => router.release());
  expect(shown()).toBe("");
});
