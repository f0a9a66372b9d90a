import type { ObservationPicture } from "../prepare/observation";
import { Figure } from "./figure";

export function ObservationFigure({ picture }: { picture: ObservationPicture }) {
  return (
    <Figure title="Observation">
      {picture.kind === "said" ? (
        <p className="text-xs text-ink-soft tabular-nums">{picture.text}</p>
      ) : (
        <dl className="grid grid-cols-[repeat(auto-fill,minmax(10.5rem,1fr))] gap-x-4 gap-y-0.5 text-xs tabular-nums">
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
