"use client";

import { useEffect, useRef } from "react";
import { useStore } from "@/lib/store";
import { toastStore } from "./store";
import { ToastCard } from "./toast-card";

const REACH = "F8";

/** Where messages appear; stands once, in the shell. F8 moves the focus to the newest one's first button. */
export function Toaster() {
  const toasts = useStore(toastStore);
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    const reach = (event: KeyboardEvent) => {
      if (event.key !== REACH) return;
      const last = region.current?.querySelector<HTMLElement>("li:last-child button");
      if (!last) return;
      event.preventDefault();
      last.focus();
    };
    document.addEventListener("keydown", reach);
    return () => document.removeEventListener("keydown", reach);
  }, []);
  return (
    <section
      ref={region}
      aria-label="Notifications"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-toast max-md:bottom-[calc(4.25rem+env(safe-area-inset-bottom))] sm:left-auto sm:w-96"
    >
      <div role="status" aria-live="polite">
        <ol className="flex flex-col gap-2">
          {toasts.map((toast) => (
            <ToastCard key={toast.id} toast={toast} />
          ))}
        </ol>
      </div>
    </section>
  );
}
