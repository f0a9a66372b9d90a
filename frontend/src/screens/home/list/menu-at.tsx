"use client";

import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { layer, layerClass } from "@/ui/layer";

interface MenuAtProps {
  label: string;
  /** The button that opened the menu. All rows share one menu. */
  button: HTMLElement;
  onClose: () => void;
  children: ReactNode;
}

/** A menu opened at a button of another component. */
export function MenuAt({ label, button, onClose, children }: MenuAtProps) {
  const { left, top, width, height } = button.getBoundingClientRect();
  return (
    <Radix.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
      <Radix.Trigger asChild>
        <span
          aria-hidden
          style={{ left, top, width, height }}
          className="pointer-events-none fixed"
        />
      </Radix.Trigger>
      <Radix.Portal container={layer()}>
        <Radix.Content
          aria-label={label}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className={`${layerClass} min-w-52 p-1`}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // Returns the focus to the button, unless the selected action has moved it elsewhere.
            const nobody = document.activeElement === document.body || !document.activeElement;
            if (nobody) button.focus({ preventScroll: true });
          }}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
