import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { GameSearch } from "@/api/types";
import { helloOf } from "@/player/session/testing";
import { RamSearchCard } from "./ram-search";
import { StartStateCard } from "./start-state";
import { describingSession, LIMITS } from "./testing";

const SEARCH: GameSearch = {
  type: "search",
  width: "u8",
  total: 300,
  narrowings: 1,
  candidates: [
    { address: 0xc001, value: 5, before: 4 },
    { address: 0xc002, value: 7, before: 7 },
  ],
};

test("a search is begun, narrowed, undone, and an address is named", async () => {
  const { client, socket } = await describingSession();
  const onName = vi.fn();
  render(<RamSearchCard client={client} bounds={LIMITS.game_search} taken={[]} onName={onName} />);
  await userEvent.click(screen.getByRole("button", { name: "Begin a search" }));
  act(() => socket.deliver(SEARCH));
  expect(screen.getByRole("status")).toHaveTextContent("300 candidates");
  expect(screen.getByText("The first 2 of 300 are shown.")).toBeVisible();
  expect(screen.getByRole("row", { name: /0xC001/ })).toHaveTextContent("54");
  await userEvent.click(screen.getByRole("button", { name: "Increased" }));
  await userEvent.selectOptions(screen.getByLabelText("Comparison"), "Decreased by");
  await userEvent.type(screen.getByLabelText("Number"), "65536{Enter}{Backspace>5}2{Enter}");
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect(socket.sent).toEqual([
    { type: "search", width: "u8" },
    { type: "narrow", test: "increased", number: null },
    { type: "narrow", test: "decreased", number: 2 },
    { type: "undo" },
  ]);
  const [first, second] = ["0xC001", "0xC002"].map((address) =>
    screen.getByRole("button", { name: `Name ${address}` }),
  );
  expect([first!.tabIndex, second!.tabIndex]).toEqual([0, -1]);
  act(() => first!.focus());
  await userEvent.keyboard("{ArrowDown}");
  expect(second).toHaveFocus();
  expect([first!.tabIndex, second!.tabIndex]).toEqual([-1, 0]);
  await userEvent.keyboard("{Enter}");
  expect(onName).toHaveBeenCalledWith(0xc002, "u8");
});

test("a search ends with its session", async () => {
  const { client, socket } = await describingSession();
  render(
    <RamSearchCard client={client} bounds={LIMITS.game_search} taken={[]} onName={() => {}} />,
  );
  act(() => socket.deliver(SEARCH));
  act(() => socket.deliver(helloOf({ mode: "describe" })));
  expect(screen.getByRole("button", { name: "Begin a search" })).toBeVisible();
});

test("a saved moment becomes the start state once, and shows its picture", async () => {
  const { client, socket } = await describingSession();
  const onChoose = vi.fn();
  const state = { type: "start_state" as const, name: "start-2.state", picture: "data:," };
  const card = (name: string) => (
    <StartStateCard client={client} name={name} bootFrames="240" onChoose={onChoose} />
  );
  const { rerender } = render(card(""));
  await userEvent.click(screen.getByRole("button", { name: "Save start state" }));
  expect(socket.sent).toEqual([{ type: "save_start" }]);
  act(() => socket.deliver({ ...state, saved: true }));
  expect(onChoose).toHaveBeenCalledWith("start-2.state");
  rerender(card("start-2.state"));
  act(() => socket.deliver(SEARCH));
  act(() => socket.deliver({ ...state, saved: false }));
  expect(onChoose).toHaveBeenCalledTimes(1);
  expect(screen.getByAltText("The screen in start-2.state")).toHaveAttribute("src", "data:,");
  await userEvent.click(screen.getByRole("button", { name: "Load" }));
  expect(socket.sent.at(-1)).toEqual({ type: "load_start", name: "start-2.state" });
  await userEvent.click(screen.getByRole("button", { name: "Do not use" }));
  expect(onChoose).toHaveBeenLastCalledWith("");
  rerender(card(""));
  await userEvent.click(screen.getByRole("button", { name: "Use start-2.state again" }));
  expect(onChoose).toHaveBeenLastCalledWith("start-2.state");
});
