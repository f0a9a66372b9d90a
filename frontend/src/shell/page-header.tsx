"use client";

import { type ReactNode, useEffect } from "react";

interface PageHeaderProps {
  title: string;
  children?: ReactNode;
}

export function PageHeader({ title, children }: PageHeaderProps) {
  return (
    <div className="mb-5">
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      {children && <p className="mt-1 max-w-2xl text-ink-soft">{children}</p>}
    </div>
  );
}

/** Sets the title of the tab; undefined keeps it. */
export function useDocumentTitle(title: string | undefined) {
  // External system: the title of the document.
  useEffect(() => {
    if (title === undefined) return;
    const before = document.title;
    const whole = `${title} · RL Gym Visualizer`;
    document.title = whole;
    return () => {
      // The next page may have set its own title already.
      if (document.title === whole) document.title = before;
    };
  }, [title]);
}
