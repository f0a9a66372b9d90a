import { Suspense } from "react";
import { NewRun, RunList, RunListSkeleton } from "@/features/runs";

export default function HomePage() {
  return (
    <>
      <h1 className="sr-only">Runs</h1>
      <div className="grid items-start gap-5 lg:grid-cols-[23rem_minmax(0,1fr)]">
        <NewRun />
        <Suspense fallback={<RunListSkeleton />}>
          <RunList />
        </Suspense>
      </div>
    </>
  );
}
