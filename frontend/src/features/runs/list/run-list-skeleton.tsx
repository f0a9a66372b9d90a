import { Skeleton } from "@/components/ui/skeleton";

export function RunListSkeleton() {
  return (
    <div role="status" aria-label="Loading runs" className="divide-y divide-line">
      {Array.from({ length: 6 }, (_, i) => (
        <div key={i} className="flex items-center gap-6 px-4 py-3.5">
          <div className="grow space-y-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3 w-56 max-w-full" />
          </div>
          <Skeleton className="h-3 w-28 max-sm:hidden" />
          <Skeleton className="h-4 w-14" />
        </div>
      ))}
    </div>
  );
}
