/** Maximum steps per second of a session. */
const MOST_FPS = 60;

export interface RateChoice {
  fps: number;
  label: string;
}

/** Speeds to choose from as multiples of the session's default; `now` is always among them. Both are 0 until it begins. */
export function rateChoices(usual: number, now: number): RateChoice[] {
  if (usual <= 0) return [{ fps: now, label: "1×" }];
  const choices = [0.25, 0.5, 1, 2, 4]
    .map((share) => ({ fps: usual * share, label: `${share}×` }))
    .filter(({ fps }) => fps > 0 && fps <= MOST_FPS);
  if (choices.some(({ fps }) => fps === now) || now <= 0) return choices;
  const odd = { fps: now, label: `${Number((now / usual).toFixed(2))}×` };
  return [...choices, odd].sort((a, b) => a.fps - b.fps);
}
