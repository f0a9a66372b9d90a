import clsx from "clsx";
import layout from "../layout/layout.module.css";
import { COLUMNS } from "../table/columns";

const line = "block h-2.5 rounded-sm bg-rest-tint";

/** The cells of a row whose run is not loaded. */
export function PlaceholderCells() {
  return (
    <>
      <div role="gridcell" className={layout.select} />
      <div role="rowheader" aria-label="Loading" className={clsx(layout.name, "space-y-1.5")}>
        <span className={clsx(line, "w-36 max-w-full")} />
        <span className={clsx(line, "w-20 max-w-full")} />
      </div>
      {COLUMNS.map(
        ({ title, shown, area, end, bar }) =>
          bar && (
            <div
              key={title}
              role="gridcell"
              className={clsx(shown && layout[shown], area ? layout[area] : "max-md:hidden!")}
            >
              <span className={clsx(line, bar, end && "ml-auto")} />
            </div>
          ),
      )}
      <div role="gridcell" className={layout.menu} />
    </>
  );
}
