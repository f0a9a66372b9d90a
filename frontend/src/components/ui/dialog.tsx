"use client";

import clsx from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
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
  /** Opens it; leave it out and drive `open` instead. */
  trigger?: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  size?: keyof typeof sizes;
  /** Stays at the foot while the body scrolls: the buttons. */
  footer?: ReactNode;
  children: ReactNode;
}

/** Takes the page over until it is answered or left: focus stays inside, Escape leaves, focus goes back. */
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
          <header className="flex items-start justify-between gap-3 px-5 pt-4 pb-3">
            <div className="min-w-0">
              <Radix.Title className="text-lg font-semibold break-words">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-0.5 text-sm text-ink-soft">
                  {description}
                </Radix.Description>
              )}
            </div>
            <Radix.Close
              aria-label="Close"
              className="-mr-2 grid size-8 shrink-0 place-items-center rounded-md text-ink-faint transition-colors hover:bg-rest-tint hover:text-ink max-md:size-10"
            >
              <X aria-hidden className="size-4" />
            </Radix.Close>
          </header>
          <div className="min-h-0 grow overflow-y-auto px-5 pb-5">{children}</div>
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
              {footer}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
