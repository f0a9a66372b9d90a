"use client";

import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { layer } from "./layer";

interface SheetProps {
  title: string;
  description?: ReactNode;
  onClose: () => void;
  /** The form or the text: it brings its own padding, scrolls, and may have a sticky foot. */
  children: ReactNode;
}

/** A page's worth of controls beside the page: from the right on a desktop, the whole screen on a phone. */
export function Sheet({ title, description, onClose, children }: SheetProps) {
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal container={layer()}>
        <Radix.Overlay className="fixed inset-0 z-overlay bg-scrim" />
        <Radix.Content
          {...(description === undefined && { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            // The sheet itself: its first field may be far from what somebody came for.
            event.preventDefault();
            (event.currentTarget as HTMLElement).focus();
          }}
          className="fixed inset-y-0 right-0 z-layer flex w-full max-w-[46rem] animate-rise flex-col border-l border-line-strong bg-surface shadow-float outline-none max-md:max-w-none max-md:border-l-0"
        >
          <header className="flex items-start justify-between gap-3 border-b border-line px-5 py-3 max-md:px-4">
            <div className="min-w-0">
              <Radix.Title className="text-lg font-semibold break-words">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="text-sm text-ink-soft">
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
          <div className="flex min-h-0 grow flex-col overflow-y-auto">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
