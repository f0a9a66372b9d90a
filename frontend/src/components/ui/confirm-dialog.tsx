"use client";

import { AlertDialog } from "radix-ui";
import type { ReactNode } from "react";
import { buttonClass } from "./button";
import { layer } from "./layer";

interface ConfirmDialogProps {
  trigger: ReactNode;
  title: string;
  description: ReactNode;
  confirm: string;
  onConfirm: () => void;
}

/** Asks before something that cannot be undone. The way out has the focus. */
export function ConfirmDialog({
  trigger,
  title,
  description,
  confirm,
  onConfirm,
}: ConfirmDialogProps) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger asChild>{trigger}</AlertDialog.Trigger>
      <AlertDialog.Portal container={layer()}>
        <AlertDialog.Overlay className="fixed inset-0 z-overlay bg-scrim" />
        <AlertDialog.Content className="fixed top-1/2 left-1/2 z-layer w-[calc(100vw-2rem)] max-w-md -translate-1/2 rounded-lg border border-line bg-raised p-5 shadow-float">
          <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-ink-soft">
            {description}
          </AlertDialog.Description>
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel className={buttonClass("secondary")}>Cancel</AlertDialog.Cancel>
            <AlertDialog.Action className={buttonClass("danger")} onClick={onConfirm}>
              {confirm}
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
