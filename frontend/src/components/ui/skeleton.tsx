import clsx from "clsx";

export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={clsx("block animate-shimmer rounded-md bg-rest-tint", className)}
    />
  );
}
