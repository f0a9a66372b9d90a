import { compact, count, shareText } from "@/lib/number";
import { type Fact, numberOf, type Values } from "../guide";

export interface Schedule {
  totalTimesteps: number;
  initialEps: number;
  finalEps: number;
  /** `exploration_fraction`: the share of training over which epsilon falls. */
  fraction: number;
  bufferSize: number;
  learningStarts: number;
  environments: number;
  /** Environment steps, in each environment, between two rounds of updates. */
  trainFreq: number;
  /** Gradient steps of a round; -1 means as many as environment steps were made. */
  gradientSteps: number;
  batchSize: number;
}

export function scheduleOf(values: Values, totalTimesteps: number): Schedule {
  return {
    totalTimesteps,
    initialEps: numberOf(values, "exploration_initial_eps", 1),
    finalEps: numberOf(values, "exploration_final_eps", 0.05),
    fraction: numberOf(values, "exploration_fraction", 0.1),
    bufferSize: numberOf(values, "buffer_size", 1_000_000),
    learningStarts: numberOf(values, "learning_starts", 100),
    environments: numberOf(values, "n_envs", 1),
    trainFreq: numberOf(values, "train_freq", 4),
    gradientSteps: numberOf(values, "gradient_steps", 1),
    batchSize: numberOf(values, "batch_size", 32),
  };
}

/** Epsilon at a step: linear from the initial to the final value, then constant, as in Stable-Baselines3. */
export function epsilonAt(step: number, schedule: Schedule): number {
  const { initialEps, finalEps, fraction, totalTimesteps } = schedule;
  const fallen = Math.min(step / (fraction * totalTimesteps), 1);
  return initialEps + (finalEps - initialEps) * fallen;
}

/** Probability of a random action at a step; 1 until learning starts. */
export function randomShareAt(step: number, schedule: Schedule): number {
  return step < schedule.learningStarts ? 1 : epsilonAt(step, schedule);
}

/** First and last step whose transitions are in the replay buffer. */
export function bufferWindow(step: number, { bufferSize }: Schedule): [number, number] {
  return [Math.max(0, step - bufferSize), step];
}

const SAMPLES = 400;

/** Share of random actions in the replay buffer, integrated by the midpoint rule. */
export function randomShareOfBuffer(step: number, schedule: Schedule): number {
  const [from, to] = bufferWindow(step, schedule);
  const width = (to - from) / SAMPLES;
  let sum = 0;
  for (let i = 0; i < SAMPLES; i++) sum += randomShareAt(from + (i + 0.5) * width, schedule);
  return sum / SAMPLES;
}

/** Number of gradient steps so far. */
export function gradientStepsAt(step: number, schedule: Schedule): number {
  const { learningStarts, trainFreq, environments, gradientSteps } = schedule;
  const between = trainFreq * environments;
  const rounds = Math.floor(Math.max(0, step - learningStarts) / between);
  return rounds * (gradientSteps < 0 ? between : gradientSteps);
}

/** How often each transition has been sampled so far, on average. */
export function replaysAt(step: number, schedule: Schedule): number {
  return step === 0 ? 0 : (gradientStepsAt(step, schedule) * schedule.batchSize) / step;
}

export function replayFacts(values: Values, totalTimesteps: number): Fact[] {
  const schedule = scheduleOf(values, totalTimesteps);
  const remembered = Math.min(schedule.bufferSize / totalTimesteps, 1);
  return [
    {
      label: "Buffer",
      value: count(schedule.bufferSize),
      note: `${shareText(remembered)} of ${compact(totalTimesteps)} steps`,
    },
    { label: "Batch", value: count(schedule.batchSize), note: "drawn at random" },
    { label: "Gradient steps", value: count(gradientStepsAt(totalTimesteps, schedule)) },
    {
      label: "Each step is used",
      value: `${replaysAt(totalTimesteps, schedule).toFixed(1)} ×`,
      note: "on average",
    },
  ];
}
