"use client";

import clsx from "clsx";
import { Toast as Radix } from "radix-ui";
import { useStore } from "@/lib/use-store";
import { toastStore } from "./store";
import { ToastCard } from "./toast-card";
import styles from "./toast-viewport.module.css";

/** The messages on screen. F8 moves the focus to them; a swipe to the left dismisses one. */
export function ToastViewport() {
  const toasts = useStore(toastStore);
  return (
    <Radix.Provider swipeDirection="left" label="Notification">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
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
