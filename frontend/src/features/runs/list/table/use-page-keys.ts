"use client";

import { useEffect, useEffectEvent } from "react";
import { isTaken } from "@/shell/commands/shortcut";
import { type ListCommand, pageCommandFor } from "./keyboard";

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
