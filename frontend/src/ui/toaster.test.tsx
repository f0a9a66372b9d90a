import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { dismissForRun, dismissForService, toast, Toaster } from "./toast";

const say = (message: Parameters<typeof toast>[0]) => act(() => void toast(message));
const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

beforeAll(async () => {
  await import("./toast-viewport");
  // jsdom knows no pointer capture.
  Element.prototype.hasPointerCapture = () => false;
});
beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => pass(60_000));

test("a message disappears automatically, but not under the pointer", async () => {
  render(<Toaster />);
  say({ title: "Run deleted", duration: 1_000 });
  const card = await screen.findByText("Run deleted");
  pass(500);
  fireEvent.pointerMove(card);
  pass(5_000);
  expect(card).toBeVisible();
  fireEvent.pointerLeave(screen.getByRole("region", { name: "Notifications" }));
  pass(1_100);
  expect(screen.queryByText("Run deleted")).not.toBeInTheDocument();
});

test("F8 focuses the messages, and an action runs once and closes its message", async () => {
  render(<Toaster />);
  const undo = vi.fn();
  say({ title: "Run deleted", action: { label: "Undo", onAction: undo } });
  const button = await screen.findByRole("button", { name: "Undo" });
  fireEvent.keyDown(document.body, { key: "F8", code: "F8" });
  expect(document.activeElement).toBe(screen.getByRole("list"));
  pass(60_000);
  fireEvent.click(button);
  expect(undo).toHaveBeenCalledOnce();
  expect(screen.queryByText("Run deleted")).not.toBeInTheDocument();
});

test("a message disappears exactly when its subject has changed", async () => {
  render(<Toaster />);
  say({ title: "Not stopped", cause: { run: "a", status: "running" } });
  say({ title: "No answer", cause: "service" });
  await screen.findByText("Not stopped");
  act(() => dismissForRun("b", "completed"));
  act(() => dismissForRun("a", "running"));
  expect(screen.getByText("Not stopped")).toBeInTheDocument();
  act(() => dismissForRun("a", "completed"));
  expect(screen.queryByText("Not stopped")).not.toBeInTheDocument();
  expect(screen.getByText("No answer")).toBeInTheDocument();
  act(() => dismissForService());
  expect(screen.queryByText("No answer")).not.toBeInTheDocument();
});

test("a repeated message replaces the previous one", async () => {
  render(<Toaster />);
  say({ title: "Solved", description: "Run a" });
  say({ title: "Paused" });
  say({ title: "Solved", description: "Run a" });
  expect(await screen.findAllByText("Solved")).toHaveLength(1);
  expect(screen.getByText("+1 more")).toBeInTheDocument();
});
