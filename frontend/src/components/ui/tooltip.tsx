"use client";

import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { layer, layerClass } from "./layer";

interface TooltipProps {
  text: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
  /** The one element that the tooltip describes. It must be focusable, so that keyboard users see the text. */
  children: ReactNode;
}

const DELAY = 400;

/** A line of help on hover and focus. It adds to the element's accessible name and never replaces it. */
export function Tooltip({ text, side = "top", children }: TooltipProps) {
  return (
    <Radix.Provider delayDuration={DELAY}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal container={layer()}>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className={`${layerClass} max-w-72 px-2.5 py-1.5 text-xs text-ink-soft`}
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
