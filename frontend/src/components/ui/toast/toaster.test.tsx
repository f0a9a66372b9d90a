import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toast, Toaster } from ".";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  act(() => void vi.advanceTimersByTime(60_000));
  vi.useRealTimers();
});

const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));
const say = (message: Parameters<typeof toast>[0]) => act(() => void toast(message));

test("a message goes by itself, but not while the pointer rests on it", () => {
  render(<Toaster />);
  say({ title: "Run deleted", duration: 1_000 });
  const card = screen.getByRole("listitem");
  pass(900);
  fireEvent.pointerEnter(card);
  pass(5_000);
  expect(screen.getByText("Run deleted")).toBeVisible();
  fireEvent.pointerLeave(card);
  pass(99);
  expect(screen.queryByText("Run deleted")).not.toBeNull();
  pass(1);
  expect(screen.queryByText("Run deleted")).toBeNull();
});

test("F8 reaches the newest message, whose action is taken once and ends it", () => {
  render(<Toaster />);
  const undo = vi.fn();
  say({ title: "First" });
  say({ title: "Run deleted", action: { label: "Undo", onAction: undo } });
  fireEvent.keyDown(document.body, { key: "F8" });
  const button = screen.getByRole("button", { name: "Undo" });
  expect(button).toHaveFocus();
  pass(60_000);
  fireEvent.click(button);
  expect(undo).toHaveBeenCalledOnce();
  expect(screen.queryByText("Run deleted")).toBeNull();
});
