"use client";

import { Tooltip as Radix } from "radix-ui";
import { type ReactNode, useReducer, useRef, useState } from "react";
import { count } from "@/lib/number";
import { Button } from "./button";
import { layer, layerClass } from "./layer";

interface TooltipProps {
  text: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
  /**
   * The button that the tooltip describes. A press shows and hides the text, so the button must have no other function.
   */
  children: ReactNode;
}

const DELAY = 400;

/**
 * Help on hover and focus and, for touch, on a press: it then stays until the next press, Escape, or a press elsewhere.
 * It adds to the button's accessible name and never replaces it.
 */
export function Tooltip({ text, side = "top", children }: TooltipProps) {
  const [shown, tell] = useReducer(nextShown, "no");
  const trigger = useRef<HTMLButtonElement>(null);
  const isOpen = shown !== "no";
  return (
    <Radix.Provider delayDuration={DELAY}>
      <Radix.Root open={isOpen} onOpenChange={(open) => tell(open ? "point" : "leave")}>
        <Radix.Trigger
          asChild
          ref={trigger}
          aria-expanded={isOpen}
          onPointerDown={() => tell("press")}
          onClick={({ detail: clicks }) => tell(clicks > 0 ? "tap" : "enter")}
          onBlur={({ relatedTarget }) => relatedTarget && tell("dismiss")}
        >
          {children}
        </Radix.Trigger>
        <Radix.Portal container={layer()}>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            onEscapeKeyDown={() => tell("dismiss")}
            onPointerDownOutside={({ target }) => {
              if (!trigger.current?.contains(target as Node)) tell("dismiss");
            }}
            className={`${layerClass} max-h-(--radix-tooltip-content-available-height) max-w-72 overflow-y-auto px-2.5 py-1.5 text-xs text-ink-soft`}
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

/** Whether a tooltip is shown: while its button is hovered or focused, until the user hides it. */
export type Shown = "no" | "pointed" | "pressed" | "held";

/**
 * `point` and `leave` are of pointer and focus alike. A pointer that goes down is a `press`, and once it is up a `tap`;
 * `enter` is the same from the keyboard.
 */
export type ShownEvent = "point" | "leave" | "press" | "tap" | "enter" | "dismiss";

/**
 * The effect of an event. A tap shows the text and the next tap hides it. The pointer or the focus of a tap may have
 * shown it already; the first tap then keeps it. Enter hides a text that the focus has shown.
 */
export function nextShown(shown: Shown, event: ShownEvent): Shown {
  switch (event) {
    case "point":
      return shown === "no" ? "pointed" : shown;
    case "leave":
      return shown === "pointed" ? "no" : shown;
    case "press":
      return shown === "pointed" ? "pressed" : shown;
    case "tap":
      return shown === "held" ? "no" : "held";
    case "enter":
      return shown === "no" ? "held" : "no";
    case "dismiss":
      return "no";
  }
}

/**
 * The first `most` items of a list, and a button that shows the others. A list within a page grows; it has no
 * scrollbar.
 */
export function useShortened<T>(
  all: readonly T[],
  most: number,
): { shown: readonly T[]; more: ReactNode } {
  const [whole, setWhole] = useState(false);
  if (whole || all.length <= most) return { shown: all, more: null };
  return {
    shown: all.slice(0, most),
    more: (
      <Button size="sm" variant="quiet" className="self-start" onClick={() => setWhole(true)}>
        Show all {count(all.length)}
      </Button>
    ),
  };
}
