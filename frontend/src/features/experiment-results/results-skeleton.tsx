import { Skeleton } from "@/ui/progress";

export function ResultsSkeleton() {
  return (
    <div role="status" aria-label="Loading the results" className="flex flex-col gap-4">
      <Skeleton className="h-28" />
      <Skeleton className="h-64" />
      <Skeleton className="h-72" />
    </div>
  );
}
