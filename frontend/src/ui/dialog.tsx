"use client";

import clsx from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { Button } from "./button";
import { layer } from "./layer";
import { Notice } from "./notice";

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
  /** There is nothing to focus in the body, so that it must take the focus itself to be scrolled by keys. */
  onlyText?: boolean;
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
  onlyText = false,
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
          <div
            {...(onlyText && { role: "region", "aria-label": title, tabIndex: 0 })}
            className="min-h-0 grow overflow-y-auto px-5 pb-5"
          >
            {children}
          </div>
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

interface DialogHeaderProps {
  title: string;
  description?: ReactNode;
  className: string;
}

/** Title, description and close button of a dialog or a sheet. Must be inside Radix's dialog content. */
function DialogHeader({ title, description, className }: DialogHeaderProps) {
  return (
    <header className={clsx("flex items-start justify-between gap-3", className)}>
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
  );
}

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

interface ConfirmDialogProps {
  /** A question that names its object: `Delete “CartPole”?`. */
  title: string;
  /** What will happen, in sentences. */
  children: ReactNode;
  /** The verb on the button. */
  action: string;
  /** `primary` if nothing is lost. */
  variant?: "danger" | "primary";
  busy: boolean;
  /** Why it failed, in a sentence. */
  failure?: ReactNode;
  failureTitle?: string;
  onConfirm: () => void;
  onClose: () => void;
}

/**
 * Asks for confirmation before an action that cannot be undone. The dialog stays open until the service has done it.
 */
export function ConfirmDialog({
  title,
  children,
  action,
  variant = "danger",
  busy,
  failure,
  failureTitle = "The action failed",
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      size="sm"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant={variant} needsService busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2 text-sm text-ink-soft">{children}</div>
      {failure && (
        <div className="mt-3">
          <Notice tone="bad" role="alert" title={failureTitle}>
            <p>{failure}</p>
          </Notice>
        </div>
      )}
    </Dialog>
  );
}
