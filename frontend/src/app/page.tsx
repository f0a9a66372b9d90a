import { Suspense } from "react";
import { PageHeader } from "@/components/layout/page-header";
import { NewRun, RunList, RunListSkeleton } from "@/features/runs";

export default function HomePage() {
  return (
    <>
      <PageHeader title="Runs">Train an agent and watch it learn.</PageHeader>
      <div className="grid items-start gap-5 lg:grid-cols-[23rem_minmax(0,1fr)]">
        <NewRun />
        <Suspense fallback={<RunListSkeleton />}>
          <RunList />
        </Suspense>
      </div>
    </>
  );
}
