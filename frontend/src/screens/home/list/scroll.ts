"use client";

import { defaultRangeExtractor, type Range } from "@tanstack/react-virtual";
import { startTransition, useEffect, useState } from "react";

/** Milliseconds without a scroll event after which scrolling has ended. */
const REST_MS = 120;

/** Whether the page scrolls too fast for rows to be read. */
export function useFastScroll(): boolean {
  const [fast, setFast] = useState(false);
  // External system: the window's scroll position.
  useEffect(() => {
    const isFast = createScrollSpeedometer();
    let timer = 0;
    const onScroll = (event: Event) => {
      window.clearTimeout(timer);
      // A transition, so that React draws the remaining rows in slices and a new scroll is not
      // delayed.
      timer = window.setTimeout(() => startTransition(() => setFast(false)), REST_MS);
      if (isFast(window.scrollY, event.timeStamp)) setFast(true);
    };
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener("scroll", onScroll);
    };
  }, []);
  return fast;
}

/** Speed in pixels per millisecond (about fifty rows a second) above which rows cannot be read. */
const FAST = 2.2;

/** Events with a longer gap between them belong to different movements, so that a single jump is not fast. */
const APART_MS = 100;

/**
 * Returns a function that takes a scroll position (pixels) and its time (milliseconds) and returns whether
 * scrolling is fast.
 */
export function createScrollSpeedometer(): (place: number, at: number) => boolean {
  let last: { place: number; at: number } | null = null;
  return (place, at) => {
    const before = last;
    last = { place, at };
    if (!before) return false;
    const took = at - before.at;
    if (took <= 0 || took > APART_MS) return false;
    return Math.abs(place - before.place) / took > FAST;
  };
}

/**
 * Assigns rows in view to reusable row elements ("slots"). A row keeps its slot while it is in view, and a
 * row that comes into view takes a free one: to change the content of an element costs the browser less than
 * to remove one and insert another.
 */
export class RowSlots {
  private slots = new Map<number, number>();

  /** The slots of `lines`, in the same order. Lines that had a slot before keep it. */
  assign(lines: readonly number[]): number[] {
    const kept = new Map<number, number>();
    for (const line of lines) {
      const slot = this.slots.get(line);
      if (slot !== undefined) kept.set(line, slot);
    }
    const taken = new Set(kept.values());
    let next = 0;
    for (const line of lines) {
      if (kept.has(line)) continue;
      while (taken.has(next)) next += 1;
      kept.set(line, next);
      taken.add(next);
    }
    this.slots = kept;
    return lines.map((line) => kept.get(line)!);
  }
}

/**
 * The rows to render: those in view, and the row with the keyboard's position, which must stay in the
 * document.
 */
export function linesInView(range: Range, current: number): number[] {
  const lines = defaultRangeExtractor(range);
  if (current < 0 || current >= range.count || lines.includes(current)) return lines;
  return [...lines, current].sort((a, b) => a - b);
}
