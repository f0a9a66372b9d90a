"use client";

import clsx from "clsx";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { DialogHeader } from "./dialog-header";
import { layer } from "./layer";

const sizes = {
  sm: "max-w-md",
  md: "max-w-xl",
  lg: "max-w-4xl",
  full: "h-[calc(100dvh-1rem)] max-w-[calc(100vw-1rem)]",
};

interface DialogProps {
  title: string;
  description?: ReactNode;
  /** The button that opens the dialog. Without it, the caller controls `open`. */
  trigger?: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  size?: keyof typeof sizes;
  /** Stays visible at the bottom while the body scrolls; holds the buttons. */
  footer?: ReactNode;
  children: ReactNode;
}

/** A modal dialog. The focus stays inside; Escape closes it; the focus then returns to where it was. */
export function Dialog({
  title,
  description,
  trigger,
  open,
  onOpenChange,
  size = "md",
  footer,
  children,
}: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      {trigger && <Radix.Trigger asChild>{trigger}</Radix.Trigger>}
      <Radix.Portal container={layer()}>
        <Radix.Overlay className="fixed inset-0 z-overlay bg-scrim" />
        <Radix.Content
          {...(description === undefined && { "aria-describedby": undefined })}
          className={clsx(
            "fixed top-1/2 left-1/2 z-layer flex max-h-[calc(100dvh-1rem)] w-[calc(100vw-1rem)] -translate-1/2 flex-col rounded-lg border border-line-strong bg-raised shadow-float outline-none",
            sizes[size],
          )}
        >
          <DialogHeader title={title} description={description} className="px-5 pt-4 pb-3" />
          <div className="min-h-0 grow overflow-y-auto px-5 pb-5">{children}</div>
          {footer && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">
              {footer}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
