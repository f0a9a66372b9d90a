"use client";

import { ChevronRight } from "lucide-react";
import { useRouter } from "next/navigation";
import type { MouseEvent, ReactNode } from "react";
import { routeOf } from "@/lib/root-path";

interface DisclosureProps {
  summary: ReactNode;
  aside?: ReactNode;
  open?: boolean;
  onToggle?: (open: boolean) => void;
  className?: string;
  children: ReactNode;
}

/** A native `details` element, which works by keyboard and opens for the browser's page search. */
export function Disclosure({
  summary,
  aside,
  open,
  onToggle,
  className,
  children,
}: DisclosureProps) {
  return (
    <details
      open={open}
      onToggle={(event) => onToggle?.(event.currentTarget.open)}
      className={className}
    >
      <summary className="flex min-h-8 list-none items-center gap-1.5 rounded-md text-sm font-medium select-none hover:text-ink max-md:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-3.5 text-ink-faint transition-transform in-[details[open]>summary]:rotate-90"
        />
        <span className="grow">{summary}</span>
        {aside}
      </summary>
      {children}
    </details>
  );
}

/**
 * Wrap it around many plain links to open them within the app. With a `Link` for each, the pages of all visible runs
 * would be prefetched: hundreds of requests.
 */
export function useOpenLinks(): (event: MouseEvent) => void {
  const router = useRouter();
  return (event) => {
    const href = (event.target as Element).closest("a")?.getAttribute("href");
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!href || !plain) return;
    event.preventDefault();
    router.push(routeOf(href));
  };
}
