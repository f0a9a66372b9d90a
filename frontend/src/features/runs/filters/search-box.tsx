"use client";

import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { controlClass } from "@/components/ui/field";
import { useLimits } from "@/lib/registry";

/** How long typing must pause before the list follows. */
const PAUSE_MS = 180;

interface SearchBoxProps {
  text: string;
  onChange: (text: string) => void;
}

/** What is typed is shown at once; the list follows after a pause, and clearing the list's filter clears the box. */
export function SearchBox({ text, onChange }: SearchBoxProps) {
  const limits = useLimits();
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  const box = useRef<HTMLInputElement>(null);
  if (known !== text) {
    setKnown(text);
    setTyped(text);
  }
  const say = () => {
    setKnown(typed);
    onChange(typed);
  };
  const sayAfterPause = useEffectEvent(say);

  // External system: the clock. What else has changed by then (a filter, the order) is not undone.
  useEffect(() => {
    if (typed === text) return;
    const timer = window.setTimeout(sayAfterPause, PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed, text]);

  // External system: the keyboard, wherever the focus is.
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest?.(
        "input:not([type=checkbox]), textarea, select, [role=dialog]",
      );
      if (event.key !== "/" || event.ctrlKey || event.metaKey || typing) return;
      event.preventDefault();
      box.current?.focus();
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, []);

  return (
    <div role="search" className="relative min-w-0 grow basis-56">
      <Search
        aria-hidden
        className="absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-ink-faint"
      />
      <input
        ref={box}
        type="search"
        maxLength={limits?.search.maximum}
        aria-label="Search runs"
        aria-keyshortcuts="/"
        placeholder="Search name, tag, note or id"
        className={`${controlClass} pl-8`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") say();
        }}
      />
    </div>
  );
}
