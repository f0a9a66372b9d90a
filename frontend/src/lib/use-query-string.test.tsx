import { act, fireEvent, render, screen } from "@testing-library/react";
import { startTransition, use, useEffect, useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { changeQueryString, searchOf, useQueryString, writeAfter } from "./query-string";

/** A router that has followed the address when the test says so. */
const router = vi.hoisted(() => ({ follow: () => {}, arrive: () => {} }));
vi.mock("next/navigation", () => ({
  useSearchParams: () => {
    const [held, hold] = useState<Promise<string> | string>(window.location.search);
    useEffect(() => {
      router.follow = () => {
        const arrival = new Promise<string>((resolve) => {
          router.arrive = () => resolve(window.location.search);
        });
        startTransition(() => hold(arrival));
      };
    }, []);
    return new URLSearchParams(typeof held === "string" ? held : use(held));
  },
}));

beforeEach(() => {
  window.history.replaceState(null, "", "/runs?q=a");
  for (const entry of ["replaceState", "pushState"] as const) {
    const write = window.history[entry].bind(window.history);
    vi.spyOn(window.history, entry).mockImplementation((...given) => {
      write(...given);
      router.follow();
    });
  }
});

const adding = (name: string) => (query: URLSearchParams) => {
  query.set(name, "1");
  return searchOf(query);
};

function Page() {
  const [query, change] = useQueryString();
  return (
    <>
      <button onClick={() => change(adding("x"))}>x</button>
      <button onClick={() => change(adding("y"))}>y</button>
      <button
        onClick={() => {
          change(adding("x"));
          change(adding("y"), "pushState");
        }}
      >
        both
      </button>
      <button onClick={() => setTimeout(() => change(adding("late")), 50)}>later</button>
      <output>{`${query}`}</output>
    </>
  );
}

const Other = () => <p data-testid="other">{`${useQueryString()[0]}`}</p>;

const press = (name: string) =>
  act(async () => void fireEvent.click(screen.getByRole("button", { name })));
const shown = () => screen.getByRole("status").textContent;

test("changes accumulate, are shown before the router follows, and stay", async () => {
  render(<Page />);
  await press("x");
  expect(shown()).toBe("q=a&x=1");
  await press("y");
  expect(shown()).toBe("q=a&x=1&y=1");
  expect(window.location.search).toBe("?q=a&x=1&y=1");
  await act(async () => router.arrive());
  expect(shown()).toBe("q=a&x=1&y=1");
});

test("two changes at once are both kept", async () => {
  render(<Page />);
  const entries = window.history.length;
  await press("both");
  expect(shown()).toBe("q=a&x=1&y=1");
  expect(window.history.length).toBe(entries + 1);
});

test("a pending change is written once, before the next change", async () => {
  vi.useFakeTimers();
  render(<Page />);
  writeAfter(200, () => changeQueryString(adding("typed")));
  await press("x");
  expect(window.location.search).toBe("?q=a&typed=1&x=1");
  await act(async () => changeQueryString(() => "?q=b"));
  vi.advanceTimersByTime(300);
  expect(window.location.search).toBe("?q=b");
});

test("a change by another part of the page is shown everywhere", async () => {
  render(
    <>
      <Page />
      <Other />
    </>,
  );
  await act(async () => changeQueryString(adding("z")));
  expect(shown()).toBe("q=a&z=1");
  expect(screen.getByTestId("other")).toHaveTextContent("q=a&z=1");
});

test("a page that was left does not change the address of another", async () => {
  vi.useFakeTimers();
  const { unmount } = render(<Page />);
  await press("later");
  unmount();
  vi.advanceTimersByTime(100);
  expect(window.location.search).toBe("?q=a");
});

test.each([
  ["", ""],
  ["new=", "?new"],
  ["new=&q=a%3D&duplicate=", "?new&q=a%3D&duplicate"],
])("the end of an address with %j is %j", (query, search) =>
  expect(searchOf(new URLSearchParams(query))).toBe(search),
);
