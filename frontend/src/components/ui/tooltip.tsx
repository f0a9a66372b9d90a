"use client";

import { Tooltip as Radix } from "radix-ui";
import { type ReactNode, useReducer, useRef } from "react";
import { layer, layerClass } from "./layer";
import { nextShown } from "./tooltip-shown";

interface TooltipProps {
  text: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
  /** The one button that the tooltip describes. A press shows and hides the text, so it has nothing else to do. */
  children: ReactNode;
}

const DELAY = 400;

/**
 * Help on hover and focus, and for those who have neither on a press: it then stays until the next one, Escape or a
 * press elsewhere. It adds to the button's accessible name and never replaces it.
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
