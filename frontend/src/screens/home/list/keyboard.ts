"use client";

import { useEffect, useEffectEvent } from "react";
import { isTaken } from "@/shell/commands/shortcut";

/** The effect of a key in the list. */
export type ListCommand =
  | { kind: "move"; to: number; extend: boolean }
  | { kind: "open" }
  | { kind: "unfold" }
  | { kind: "fold" }
  | { kind: "select"; extend: boolean }
  | { kind: "select-all" }
  | { kind: "clear" }
  | { kind: "edit" }
  | { kind: "delete" }
  | { kind: "menu" };

interface PressedKey {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

interface ListPosition {
  /** The row with the keyboard's position. */
  index: number;
  count: number;
  /** Number of rows that fit on the screen. */
  screen: number;
}

/** The command for a key; null if the list does not use it. The letters j, k and x are usual in lists. */
export function commandFor(
  pressed: PressedKey,
  { index, count, screen }: ListPosition,
): ListCommand | null {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = pressed;
  if (altKey) return null;
  if (ctrlKey || metaKey) return key.toLowerCase() === "a" ? { kind: "select-all" } : null;
  const move = (to: number): ListCommand => ({
    kind: "move",
    to: Math.max(0, Math.min(count - 1, to)),
    extend: shiftKey,
  });
  switch (key) {
    case "ArrowDown":
    case "j":
    case "J":
      return move(index + 1);
    case "ArrowUp":
    case "k":
    case "K":
      return move(index - 1);
    case "PageDown":
      return move(index + screen);
    case "PageUp":
      return move(index - screen);
    case "Home":
      return move(0);
    case "End":
      return move(count - 1);
    case "ArrowRight":
      return { kind: "unfold" };
    case "ArrowLeft":
      return { kind: "fold" };
    case "Enter":
      return { kind: "open" };
    case "x":
    case "X":
    case " ":
      return { kind: "select", extend: shiftKey };
    case "Escape":
      return { kind: "clear" };
    case "F2":
      return { kind: "edit" };
    case "Delete":
      return { kind: "delete" };
    case "ContextMenu":
    case "m":
      return { kind: "menu" };
    case "F10":
      return shiftKey ? { kind: "menu" } : null;
    default:
      return null;
  }
}

/** Letters of the list that work everywhere on the page; other keys keep their usual function there. */
const PAGE_LETTERS = "jkxm";

/**
 * The command for a key pressed outside the list; null if it has none. `move` focuses the list at its current
 * row.
 */
export function pageCommandFor(pressed: PressedKey): ListCommand | null {
  const letter = pressed.key.length === 1 && PAGE_LETTERS.includes(pressed.key.toLowerCase());
  return letter ? commandFor(pressed, { index: 0, count: 1, screen: 1 }) : null;
}

/** While one of these is open, it handles the keys. */
const OVER_THE_PAGE = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";

/**
 * Handles the list's letters when they are pressed outside the list. Inside, the list has a handler of its
 * own.
 */
export function usePageKeys(handle: (command: ListCommand) => void) {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || isTaken(event.target)) return;
    if (event.target instanceof Element && event.target.closest("[data-index]")) return;
    if (document.querySelector(OVER_THE_PAGE)) return;
    const command = pageCommandFor(event);
    if (!command) return;
    event.preventDefault();
    handle(command);
  });
  // External system: the keyboard.
  useEffect(() => {
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
