"use client";

import clsx from "clsx";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { Toast as Radix } from "radix-ui";
import { useStore } from "@/lib/use-store";
import { Button } from "./button";
import { dismiss, type Toast, toastStore } from "./toast";
import styles from "./toast-viewport.module.css";

/** The messages on screen. F8 moves the focus to them; a swipe to the left dismisses one. */
export function ToastViewport() {
  const toasts = useStore(toastStore);
  return (
    <Radix.Provider swipeDirection="left" label="Notification">
      {toasts.map((toast, i) => (
        <ToastCard
          key={toast.id}
          toast={toast}
          earlier={i === toasts.length - 1 ? toasts.length - 1 : null}
        />
      ))}
      <Radix.Viewport
        label="Notifications"
        hotkey={["F8"]}
        data-toasts={toasts.length > 0 || undefined}
        className={clsx("z-toast", styles.viewport)}
      />
    </Radix.Provider>
  );
}

const icons = {
  good: <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />,
  bad: <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />,
  info: <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-faint" />,
};

interface ToastCardProps {
  toast: Toast;
  /** Number of earlier messages, for the newest one; null for all others. A phone shows only the newest. */
  earlier: number | null;
}

/** One message. Its timer is paused while the pointer or the focus is on any message. */
function ToastCard({ toast, earlier }: ToastCardProps) {
  const { id, title, description, tone = "info", action, link, duration } = toast;
  return (
    <Radix.Root
      duration={duration}
      onOpenChange={(open) => !open && dismiss(id)}
      className={clsx(
        earlier === null && "max-md:hidden",
        "pointer-events-auto relative animate-rise rounded-lg border border-line-strong bg-raised py-2 pr-9 pl-3 shadow-float",
      )}
    >
      <div className="flex items-start gap-2">
        {icons[tone]}
        <div className="min-w-0 grow text-sm">
          <Radix.Title className="font-medium wrap-anywhere">
            {title}
            {earlier !== null && earlier > 0 && (
              <span className="ml-1.5 text-2xs font-normal text-ink-faint md:hidden">
                +{earlier} more
              </span>
            )}
          </Radix.Title>
          {description && (
            <Radix.Description className="text-xs wrap-anywhere text-ink-soft">
              {description}
            </Radix.Description>
          )}
        </div>
      </div>
      {(action || link) && (
        <div className="mt-1.5 flex flex-wrap gap-1.5 pl-6">
          {action && (
            <Radix.Action asChild altText={action.label}>
              <Button size="sm" onClick={action.onAction}>
                {action.label}
              </Button>
            </Radix.Action>
          )}
          {link && (
            <Radix.Action asChild altText={link.label}>
              <Button size="sm" variant="quiet" onClick={link.onFollow}>
                {link.label}
              </Button>
            </Radix.Action>
          )}
        </div>
      )}
      <Radix.Close asChild>
        <Button
          size="sm"
          variant="quiet"
          aria-label={`Dismiss: ${title}`}
          className="absolute top-1.5 right-1.5"
        >
          <X aria-hidden className="size-3.5" />
        </Button>
      </Radix.Close>
    </Radix.Root>
  );
}
