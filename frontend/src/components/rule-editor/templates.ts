import type { Rule } from "@/api/types";
import type { Vocabulary } from "./draft";

export interface Template {
  title: string;
  rule: Rule;
}

const RETURN = "rollout/ep_rew_mean";
const KL = "train/approx_kl";
const LOSS = "train/loss";

/** Rules to begin with: those that the run can follow. */
export function templatesFor(
  threshold: number | null,
  { metrics, knobs, evaluates }: Vocabulary,
): Template[] {
  const names = new Set(metrics.flatMap((group) => group.metrics.map(({ name }) => name)));
  const best = evaluates && names.has("eval/mean_reward") ? "eval/mean_reward" : RETURN;
  const learningRate = knobs.find(({ name }) => name === "learning_rate");
  const templates: (Template | false)[] = [
    threshold !== null &&
      names.has(RETURN) && {
        title: "Stop when solved and it holds",
        rule: {
          when: { kind: "metric", metric: RETURN, side: "at_least", value: threshold, rows: 5 },
          do: [{ kind: "stop", then: "report" }],
          at_most: 1,
        },
      },
    threshold !== null &&
      names.has(RETURN) && {
        title: "Notify when solved",
        rule: {
          when: { kind: "metric", metric: RETURN, side: "at_least", value: threshold, rows: 1 },
          do: [{ kind: "notify", message: "" }],
          at_most: 1,
        },
      },
    names.has(best) && {
      title: "Snapshot at each new best",
      rule: {
        when: { kind: "new_best", metric: best, better: "higher" },
        do: [{ kind: "snapshot", message: "New best" }],
        at_most: 100,
      },
    },
    {
      title: "Stop at 20 minutes",
      rule: {
        when: { kind: "seconds", seconds: 1200 },
        do: [{ kind: "stop", then: "report" }],
        at_most: 1,
      },
    },
    names.has(KL) &&
      learningRate !== undefined && {
        title: "Halve the learning rate when the KL is too high",
        rule: {
          when: { kind: "metric", metric: KL, side: "above", value: 0.1, rows: 3 },
          do: [{ kind: "scale_knob", knob: learningRate.name, factor: 0.5 }],
          at_most: 10,
        },
      },
    {
      title: names.has(LOSS)
        ? "Roll back when the loss is not a number"
        : "Roll back when a metric is not a number",
      rule: {
        when: { kind: "not_finite", metric: names.has(LOSS) ? LOSS : null },
        do: [
          { kind: "roll_back", to: "newest" },
          ...(learningRate !== undefined
            ? [{ kind: "scale_knob" as const, knob: learningRate.name, factor: 0.5 }]
            : []),
        ],
        at_most: 3,
      },
    },
    {
      title: "Roll back when training raises an error",
      rule: { when: { kind: "error" }, do: [{ kind: "roll_back", to: "newest" }], at_most: 3 },
    },
    {
      title: names.has(LOSS)
        ? "Pause when the loss is not a number"
        : "Pause when a metric is not a number",
      rule: {
        when: { kind: "not_finite", metric: names.has(LOSS) ? LOSS : null },
        do: [{ kind: "pause" }],
        at_most: 10,
      },
    },
  ];
  return templates.filter((template) => template !== false);
}
