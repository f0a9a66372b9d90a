"use client";

import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../button";
import { dismiss, type Toast } from "./store";
import { useCountdown } from "./use-countdown";

const icons = {
  good: <CircleCheck aria-hidden className="size-4 text-good" />,
  bad: <CircleAlert aria-hidden className="size-4 text-bad" />,
  info: <Info aria-hidden className="size-4 text-ink-faint" />,
};

/** Waits while the pointer or the focus is on it. */
export function ToastCard({ toast }: { toast: Toast }) {
  const { id, title, description, tone = "info", action, duration } = toast;
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const close = () => dismiss(id);
  useCountdown(duration, hovered || focused, close);
  return (
    <li
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onKeyDown={(event) => event.key === "Escape" && close()}
      className="pointer-events-auto flex animate-rise items-center gap-2.5 rounded-lg border border-line-strong bg-raised py-2 pr-2 pl-3.5 shadow-float"
    >
      {icons[tone]}
      <div className="min-w-0 grow text-sm">
        <p className="font-medium break-words">{title}</p>
        {description && <p className="text-xs break-words text-ink-soft">{description}</p>}
      </div>
      {action && (
        <Button
          size="sm"
          onClick={() => {
            action.onAction();
            close();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button size="sm" variant="quiet" aria-label={`Dismiss: ${title}`} onClick={close}>
        <X aria-hidden className="size-3.5" />
      </Button>
    </li>
  );
}
