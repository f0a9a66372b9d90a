import { compact, count, shareText } from "@/lib/number";
import type { Fact, Values } from "../../guide/guide";
import { gradientStepsAt, replaysAt, scheduleOf } from "./replay";

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
