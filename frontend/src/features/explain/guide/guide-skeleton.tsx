import { Skeleton } from "@/ui/progress";

export function GuideSkeleton() {
  return (
    <div role="status" aria-label="Loading the guide" className="flex flex-col gap-6">
      <Skeleton className="h-14 max-w-2xl" />
      <Skeleton className="h-8 max-w-96" />
      <Skeleton className="h-105" />
      <div className="grid gap-6 xl:grid-cols-2">
        <Skeleton className="h-64" />
        <Skeleton className="h-64" />
      </div>
    </div>
  );
}
