import { Skeleton } from "@/ui/progress";
import { RunListSkeleton } from "./list/run-list-skeleton";

/** Placeholder for Home until its address is read, with the same layout and heights. */
export function HomeSkeleton() {
  return (
    <>
      <h1 className="mb-3 text-xl font-semibold tracking-tight">Runs</h1>
      <Skeleton className="h-8 max-md:h-10" />
      <div className="mt-3 overflow-clip rounded-lg border border-line bg-surface max-md:-mx-4 max-md:rounded-none max-md:border-x-0">
        <RunListSkeleton />
      </div>
    </>
  );
}
