import type { ReactNode } from "react";

/** One key, or keys pressed together: `<Kbd>⌘K</Kbd>`. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line-strong bg-sunken px-1 font-mono text-2xs text-ink-soft">
      {children}
    </kbd>
  );
}
