import { Skeleton } from "@/ui/progress";

export function RunSkeleton() {
  return (
    <div role="status" aria-label="Loading the run" className="flex flex-col gap-4">
      <div className="space-y-2">
        <Skeleton className="h-3 w-48" />
        <Skeleton className="h-7 w-72 max-w-full" />
        <Skeleton className="h-4 w-56" />
      </div>
      <Skeleton className="h-20 rounded-lg" />
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_26rem]">
        <Skeleton className="h-80 rounded-lg" />
        <Skeleton className="h-80 rounded-lg" />
      </div>
    </div>
  );
}
