"use client";

import type { ReactNode } from "react";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Notice } from "./notice";

interface ConfirmDialogProps {
  /** A question that names what is meant: `Delete “CartPole”?`. */
  title: string;
  /** What will happen, in sentences. */
  children: ReactNode;
  /** The verb on the button that does it. */
  action: string;
  /** `primary` where nothing is lost. */
  variant?: "danger" | "primary";
  busy: boolean;
  /** Why it failed, in a sentence. */
  failure?: ReactNode;
  failureTitle?: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something is done that cannot be undone. The answer stays open until the service has done it. */
export function ConfirmDialog({
  title,
  children,
  action,
  variant = "danger",
  busy,
  failure,
  failureTitle = "That was not done",
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
