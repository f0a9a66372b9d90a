"use client";

import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLimits } from "@/api/choices";
import { writeAfter } from "@/lib/query-string";
import { controlClass } from "@/ui/select";

/** Milliseconds without typing after which the list is filtered. */
const PAUSE_MS = 180;

interface SearchBoxProps {
  text: string;
  onChange: (text: string) => void;
}

/**
 * The search field. It filters the list after a pause in typing, and becomes empty when the filter is cleared
 * elsewhere.
 */
export function SearchBox({ text, onChange }: SearchBoxProps) {
  const limits = useLimits();
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  const box = useRef<HTMLInputElement>(null);
  if (known !== text) {
    setKnown(text);
    setTyped(text);
  }
  const commit = () => {
    setKnown(typed);
    onChange(typed);
  };
  const commitAfterPause = useEffectEvent(commit);

  // External system: a timer. `onChange` takes only the text, so other changes made meanwhile
  // (filters, order) are kept.
  useEffect(() => {
    if (typed === text) return;
    return writeAfter(PAUSE_MS, commitAfterPause);
  }, [typed, text]);

  // External system: keyboard shortcuts on the whole page.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest?.(
        "input:not([type=checkbox]), textarea, select, [role=dialog]",
      );
      if (event.key !== "/" || event.ctrlKey || event.metaKey || typing) return;
      event.preventDefault();
      box.current?.focus();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
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
          if (event.key === "Enter") commit();
        }}
      />
    </div>
  );
}
