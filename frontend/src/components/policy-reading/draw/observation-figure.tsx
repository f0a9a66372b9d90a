import clsx from "clsx";
import type { ObservationPicture } from "../prepare/observation";
import { Figure } from "./figure";

/** Characters of a name and its unit that stand beside a number in half of a narrow column. */
const SHORT = 18;

export function ObservationFigure({ picture }: { picture: ObservationPicture }) {
  return (
    <Figure title="Observation">
      {picture.kind === "said" ? (
        <p className="text-xs text-ink-soft tabular-nums">{picture.text}</p>
      ) : (
        <dl
          className={clsx(
            "grid gap-x-6 gap-y-0.5 text-xs tabular-nums",
            picture.values.every(({ label, unit }) => label.length + (unit?.length ?? 0) <= SHORT)
              ? "grid-cols-[repeat(auto-fill,minmax(10rem,1fr))]"
              : "grid-cols-[repeat(auto-fill,minmax(15rem,1fr))]",
          )}
        >
          {picture.values.map(({ label, text, unit }, i) => (
            <div key={i} className="flex min-w-0 justify-between gap-2">
              <dt title={label} className="truncate text-ink-soft">
                {label}
              </dt>
              <dd className="shrink-0">
                {text}
                {unit && <span className="text-ink-faint"> {unit}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Figure>
  );
}
