import type { KeyMoment } from "@/api/types";
import { decimal } from "@/lib/number";
import { middleOf } from "@/player/video/playback-controller";
import type { Chapter } from "@/player/video/shortcuts";

const NAMES: Record<KeyMoment["kind"], string> = {
  largest_reward: "Largest reward",
  largest_surprise: "Largest surprise",
  value_collapse: "Value collapses",
  final_steps: "Last ten steps",
};

/** What each kind means, for who points at it. */
export const MEANINGS: Record<KeyMoment["kind"], string> = {
  largest_reward: "The step that earned the most",
  largest_surprise: "Where |r + γV(s′) − V(s)| is greatest: what came was least expected",
  value_collapse: "From here the policy's value falls deepest within ten steps",
  final_steps: "Ten steps before the episode terminated",
};

export function momentName(moment: KeyMoment): string {
  return NAMES[moment.kind];
}

/** The reward with its sign, the surprise as a size, the collapse as a fall; "" where there is no amount. */
export function momentAmount({ kind, amount }: KeyMoment): string {
  if (amount === null) return "";
  if (kind === "value_collapse") return `−${decimal(amount)}`;
  return kind === "largest_reward" && amount > 0 ? `+${decimal(amount)}` : decimal(amount);
}

/** Ticks on the time bar. */
export function ticksOf(moments: readonly KeyMoment[], fps: number): Chapter[] {
  return moments.map((moment) => ({
    label: `${momentName(moment).toLowerCase()} of episode ${moment.episode}`,
    start: middleOf(moment.frame, fps),
  }));
}
