import clsx from "clsx";
import layout from "../layout/layout.module.css";

const cells: [area: string | undefined, width: string][] = [
  [layout.wide, "w-8"],
  [layout.wide, "w-20"],
  [layout.wide, "w-12"],
  [layout.status, "w-16"],
  [layout.progress, "w-full"],
  [layout.best, "ml-auto w-10"],
  [clsx(layout.roomy, layout.spark), "w-full"],
  [clsx(layout.roomy, "max-md:hidden!"), "ml-auto w-10"],
];

const bar = "block h-2.5 rounded-sm bg-rest-tint";

/** The cells of a row whose run is not loaded. */
export function PlaceholderCells() {
  return (
    <>
      <div role="gridcell" className={layout.select} />
      <div role="rowheader" aria-label="Loading" className={clsx(layout.name, "space-y-1.5")}>
        <span className={clsx(bar, "w-36 max-w-full")} />
        <span className={clsx(bar, "w-20 max-w-full")} />
      </div>
      {cells.map(([area, width], i) => (
        <div key={i} role="gridcell" className={area}>
          <span className={clsx(bar, width)} />
        </div>
      ))}
      <div role="gridcell" className={layout.menu} />
    </>
  );
}
