import type { Metadata } from "next";
import { Suspense } from "react";
import { RunSkeleton } from "@/features/run-dashboard/run-skeleton";
import { RunView } from "./run-view";

export const metadata: Metadata = { title: "Run" };

export default function RunPage() {
  return (
    <Suspense fallback={<RunSkeleton />}>
      <RunView />
    </Suspense>
  );
}
