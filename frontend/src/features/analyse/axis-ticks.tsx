import { type Extent, placeIn, ticksOf } from "./extent";

interface AxisTicksProps {
  extent: Extent;
  /** About so many. */
  count?: number;
  text: (tick: number) => string;
  vertical?: boolean;
  /** Insets it as the plot is inset beside which it stands. */
  className: string;
}

/** The values of round ticks, each where it stands on its axis. */
export function AxisTicks({ extent, count, text, vertical = false, className }: AxisTicksProps) {
  return (
    <div aria-hidden className={className}>
      <div className={vertical ? "relative h-full w-10" : "relative h-4"}>
        {ticksOf(extent, count).map((tick) => {
          const place = `${placeIn(tick, extent)}%`;
          return (
            <span
              key={tick}
              className={
                vertical
                  ? "absolute right-0 translate-y-1/2 whitespace-nowrap"
                  : "absolute -translate-x-1/2 whitespace-nowrap"
              }
              style={vertical ? { bottom: place } : { left: place }}
            >
              {text(tick)}
            </span>
          );
        })}
      </div>
    </div>
  );
}
