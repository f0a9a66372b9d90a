"use client";

import clsx from "clsx";
import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { layer, layerClass } from "./layer";

interface PopoverProps {
  /** The button that opens it. */
  trigger: ReactNode;
  /** The accessible name. */
  label: string;
  align?: "start" | "center" | "end";
  side?: "top" | "bottom" | "left" | "right";
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  className?: string;
  children: ReactNode;
}

/** A floating panel beside its button. Escape or a press elsewhere closes it; it is not modal. */
export function Popover({
  trigger,
  label,
  align = "start",
  side = "bottom",
  open,
  onOpenChange,
  className = "w-72 p-3",
  children,
}: PopoverProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={layer()}>
        <Radix.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className={clsx(layerClass, "max-w-[calc(100vw-1rem)]", className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
