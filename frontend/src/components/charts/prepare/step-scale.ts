/** Between environment steps and positions on the axis of a chart. */
export interface StepScale {
  stepAt: (x: number) => number;
  placeOf: (step: number) => number;
}

/** The axis counts environment steps, of which `newest` were done: it may reach further, as what a run is compared with does. */
export function stepScale(newest: number): StepScale {
  return { stepAt: (x) => Math.min(x, newest), placeOf: (step) => step };
}

/** One quantity at rising values of another, as a curve of the service has them. */
export interface Rising {
  x: readonly number[];
  y: readonly (number | null)[];
}

/**
 * Along episodes. `episodes`: how many had ended, over environment steps, of which `newest` were done. Between two that
 * are known, steps and episodes are taken to go evenly; the end of the last is where training is now.
 */
export function episodeScale(episodes: Rising, newest = 0): StepScale {
  const { x: steps, y: counts } = known(episodes);
  if (newest > steps.at(-1)!) {
    steps.push(newest);
    counts.push(counts.at(-1)!);
  }
  return {
    stepAt: (count) => interpolated(counts, steps, count),
    placeOf: (step) => interpolated(steps, counts, step),
  };
}

/** Along the time of training. `seconds`: how many episodes had ended, over seconds. */
export function timeScale(episodes: Rising, seconds: Rising, newest = 0): StepScale {
  const bySteps = episodeScale(episodes, newest);
  const byTime = episodeScale(seconds);
  return {
    stepAt: (time) => bySteps.stepAt(byTime.placeOf(time)),
    placeOf: (step) => byTime.stepAt(bySteps.placeOf(step)),
  };
}

/** What is known and goes up, from the beginning on. */
function known({ x, y }: Rising): { x: number[]; y: number[] } {
  const rising = { x: [0], y: [0] };
  x.forEach((at, i) => {
    const value = y[i] ?? null;
    if (value === null || value <= rising.y.at(-1)! || at < rising.x.at(-1)!) return;
    rising.x.push(at);
    rising.y.push(value);
  });
  return rising;
}

/** `to` where `from`, which rises, is `value`. */
function interpolated(from: readonly number[], to: readonly number[], value: number): number {
  let [low, high] = [0, from.length - 1];
  if (value <= from[low]!) return to[low]!;
  if (value >= from[high]!) return to[high]!;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (from[middle]! <= value) low = middle;
    else high = middle;
  }
  const share = (value - from[low]!) / (from[high]! - from[low]!);
  return to[low]! + share * (to[high]! - to[low]!);
}
