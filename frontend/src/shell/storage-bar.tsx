"use client";

import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { lazy, Suspense, useState } from "react";
import { healthQuery } from "@/api/choices";
import { withRetry } from "@/api/with-retry";
import { routes } from "@/lib/routes";

const StorageWarning = lazy(
  withRetry(() => import("./storage-warning").then((m) => ({ default: m.StorageWarning }))),
);

/**
 * A bar on every page while something uses 80 % of its limit or more, until the user closes it; the Storage page shows
 * the same. Its code is loaded with the first warning.
 */
export function StorageBar() {
  const { data } = useQuery(healthQuery);
  const pathname = usePathname();
  const [closed, setClosed] = useState(0);
  const warnings = data?.storage_warnings ?? [];
  const isOnPage = pathname.replace(/\/$/, "") === routes.storage;
  if (warnings.length <= closed || isOnPage) return null;
  return (
    <Suspense>
      <StorageWarning warnings={warnings} onClose={() => setClosed(warnings.length)} />
    </Suspense>
  );
}
