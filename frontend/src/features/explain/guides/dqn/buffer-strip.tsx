import { bufferWindow, randomShareAt, type Schedule } from "../shared/replay";

const CELLS = 48;

/**
 * The replay buffer as a row of cells, oldest first. The lower part of each cell shows its share of random
 * actions.
 */
export function BufferStrip({ step, schedule }: { step: number; schedule: Schedule }) {
  const { bufferSize } = schedule;
  const [from, to] = bufferWindow(step, schedule);
  const size = bufferSize / CELLS;
  return (
    <div
      aria-hidden
      className="mt-1.5 grid h-9 gap-px overflow-hidden rounded-md border border-control-line bg-sunken p-px"
      style={{ gridTemplateColumns: `repeat(${CELLS}, minmax(0, 1fr))` }}
    >
      {Array.from({ length: CELLS }, (_, cell) => {
        const first = from + cell * size;
        const full = first < to;
        const random = full ? randomShareAt(Math.min(first + size / 2, to), schedule) : 0;
        return (
          <span key={cell} className="flex flex-col justify-end overflow-hidden rounded-[1px]">
            {full && (
              <>
                <span className="grow bg-series-1" />
                <span className="bg-series-6" style={{ height: `${random * 100}%` }} />
              </>
            )}
          </span>
        );
      })}
    </div>
  );
}
