import type { Metadata } from "next";
import { Suspense } from "react";
import { RunSkeleton } from "@/screens/run/run-dashboard";
import { RunView } from "@/screens/run/run-view";

export const metadata: Metadata = { title: "Run" };

export default function RunPage() {
  return (
    <Suspense fallback={<RunSkeleton />}>
      <RunView />
    </Suspense>
  );
}
