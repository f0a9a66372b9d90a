"use client";

import { useQuery } from "@tanstack/react-query";
import { HardDrive, X } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { healthQuery } from "@/lib/api";
import { routes } from "@/lib/url";

/**
 * A bar on every page while something takes 80 % of what it may, or more, until it is closed; the Storage page says it
 * anyway.
 */
export function StorageBar() {
  const { data } = useQuery(healthQuery);
  const pathname = usePathname();
  const [closed, setClosed] = useState(0);
  const warnings = data?.storage_warnings ?? [];
  const isOnPage = pathname.replace(/\/$/, "") === routes.storage;
  if (warnings.length <= closed || isOnPage) return null;
  return (
    <div role="status" aria-label="Storage">
      <div className="flex items-start gap-2.5 border-b border-line-strong bg-warn-tint px-4 py-2 text-sm text-warn">
        <HardDrive aria-hidden className="mt-0.5 size-4 shrink-0" />
        <p className="min-w-0 grow">
          <b className="font-semibold">Room for runs comes to its end.</b> {warnings[0]}
          {warnings.length > 1 && ` And ${warnings.length - 1} more.`}{" "}
          <Link href={routes.storage} className="rounded-sm font-medium underline">
            See what takes it
          </Link>
        </p>
        <button
          type="button"
          aria-label="Close"
          className="-my-1 shrink-0 rounded-sm p-1.5 hover:bg-sunken"
          onClick={() => setClosed(warnings.length)}
        >
          <X aria-hidden className="size-4" />
        </button>
      </div>
    </div>
  );
}
