import { Skeleton } from "@/ui/progress";

export const CHOICES_GRID = "grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5";
export const ROOM_GRID = "grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]";

/** In place of the pictures of what can be played. */
export function ChoicesSkeleton() {
  return (
    <div role="status" aria-label="Loading the environments" className={CHOICES_GRID}>
      {Array.from({ length: 10 }, (_, i) => (
        <Skeleton key={i} className="aspect-square w-full" />
      ))}
    </div>
  );
}

/** In place of the stage and what stands beside it. */
export function RoomSkeleton() {
  return (
    <div role="status" aria-label="Loading the environment" className={ROOM_GRID}>
      <Skeleton className="h-[60dvh] w-full" />
      <Skeleton className="h-40 w-full max-lg:hidden" />
    </div>
  );
}
