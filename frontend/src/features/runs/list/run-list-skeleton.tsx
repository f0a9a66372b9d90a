import clsx from "clsx";
import layout from "./layout/layout.module.css";
import { PlaceholderCells } from "./row/placeholder-cells";

const ROWS = 12;

/** Placeholder for the list until its first response, with the same heights. */
export function RunListSkeleton() {
  return (
    <div role="status" aria-label="Loading runs" className={layout.frame}>
      <div aria-hidden className="animate-shimmer">
        <div className={clsx(layout.head, "h-8 border-b border-line")} />
        {Array.from({ length: ROWS }, (_, i) => (
          <div key={i} className={clsx(layout.line, layout.still, "border-b border-line")}>
            <PlaceholderCells />
          </div>
        ))}
      </div>
    </div>
  );
}
