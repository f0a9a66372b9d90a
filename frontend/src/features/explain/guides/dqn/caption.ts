import { count, shareText } from "@/lib/number";
import { bufferWindow, epsilonAt, randomShareOfBuffer, type Schedule } from "../shared/replay";

/** Describes in words what the learner does at `step`. */
export function caption(step: number, schedule: Schedule): { title: string; text: string } {
  const { learningStarts, fraction, totalTimesteps, finalEps } = schedule;
  const [from] = bufferWindow(step, schedule);
  const random = shareText(randomShareOfBuffer(step, schedule));
  if (step <= learningStarts) {
    return {
      title: "Collecting, not yet learning.",
      text: `Every action is random until step ${count(learningStarts)}: the first batches should hold a little of everything.`,
    };
  }
  const held =
    from === 0
      ? `The buffer still holds everything since the first step; ${random} of it was random.`
      : `Steps before ${count(from)} are forgotten; ${random} of what is left was random.`;
  if (step < fraction * totalTimesteps) {
    return {
      title: `Exploring: ${shareText(epsilonAt(step, schedule))} of actions are random.`,
      text: `ε reaches ${finalEps} at step ${count(fraction * totalTimesteps)}. ${held}`,
    };
  }
  return {
    title: `Exploiting: ${shareText(finalEps)} of actions stay random.`,
    text: `${held} The greedy policy is better than the training curve shows, by what those random actions cost.`,
  };
}
