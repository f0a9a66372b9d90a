import { act, fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { EVERYTHING, writeListFilter } from "@/api/run-filter";
import { renderWithQueries } from "@/lib/testing/service";
import { Toolbar } from "./toolbar";

beforeEach(() => void vi.useFakeTimers());

function Filtered() {
  const [filter, setFilter] = useState(EVERYTHING);
  return (
    <>
      <Toolbar filter={filter} onChange={(part) => setFilter((now) => ({ ...now, ...part }))} />
      <output>{writeListFilter(new URLSearchParams(), filter)}</output>
    </>
  );
}

const type = (value: string) =>
  fireEvent.change(screen.getByRole("searchbox"), { target: { value } });
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

test("the list follows the input after a pause, and immediately on Enter", () => {
  renderWithQueries(<Filtered />);
  type("ppo");
  expect(screen.getByRole("status")).toHaveTextContent("");
  pass(200);
  expect(screen.getByRole("status")).toHaveTextContent("?q=ppo");
  type("dqn");
  fireEvent.keyDown(screen.getByRole("searchbox"), { key: "Enter" });
  expect(screen.getByRole("status")).toHaveTextContent("?q=dqn");
});

test("clicks and input during the pause are both kept", () => {
  renderWithQueries(<Filtered />);
  type("ppo");
  pass(50);
  fireEvent.click(screen.getByRole("button", { name: "Sort upwards" }));
  expect(screen.getByRole("searchbox")).toHaveValue("ppo");
  pass(200);
  expect(screen.getByRole("status")).toHaveTextContent("?q=ppo&sort=created_at");
});
