import { Skeleton } from "@/ui/progress";

export function CompareSkeleton() {
  return (
    <div role="status" aria-label="Loading the comparison" className="flex flex-col gap-4">
      <Skeleton className="h-20" />
      <Skeleton className="h-80" />
      <Skeleton className="h-96" />
    </div>
  );
}
