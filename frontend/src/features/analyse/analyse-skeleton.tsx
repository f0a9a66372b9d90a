import { Skeleton } from "@/ui/progress";

export function AnalyseSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-4">
      <Skeleton className="h-20" />
      <Skeleton className="h-80" />
    </div>
  );
}
