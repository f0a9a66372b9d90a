"use client";

import { useRouter } from "next/navigation";
import type { MouseEvent } from "react";
import { routeOf } from "@/lib/root-path";

/**
 * For what stands around many plain links, which it opens within the app. A `Link` each would have the page of every run
 * in view fetched ahead: hundreds of requests.
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
