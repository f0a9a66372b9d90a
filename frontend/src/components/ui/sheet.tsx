"use client";

import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { DialogHeader } from "./dialog-header";
import { layer } from "./layer";

interface SheetProps {
  title: string;
  description?: ReactNode;
  onClose: () => void;
  /** The content. It brings its own padding, scrolls, and may have a sticky footer. */
  children: ReactNode;
}

/** A modal panel for a form or a long text: at the right edge on a desktop, full screen on a phone. */
export function Sheet({ title, description, onClose, children }: SheetProps) {
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal container={layer()}>
        <Radix.Overlay className="fixed inset-0 z-overlay bg-scrim" />
        <Radix.Content
          {...(description === undefined && { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            // Focus the sheet itself, not its first field, which may be far from what the user
            // wants to change.
            event.preventDefault();
            (event.currentTarget as HTMLElement).focus();
          }}
          className="fixed inset-y-0 right-0 z-layer flex w-full max-w-[46rem] animate-rise flex-col border-l border-line-strong bg-surface shadow-float outline-none max-md:max-w-none max-md:border-l-0"
        >
          <DialogHeader
            title={title}
            description={description}
            className="border-b border-line px-5 py-3 max-md:px-4"
          />
          <div className="flex min-h-0 grow flex-col overflow-y-auto">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
