"use client";

import { useMetricRegistry } from "@/api/metric-registry";
import { learns } from "@/api/run-availability";
import { hasLength, isActive, progress } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { duration, elapsed, remaining } from "@/lib/format-time";
import { brief, count, decimal, NONE, percent } from "@/lib/number";
import { unsolvedWords } from "@/lib/solved";
import { useNow } from "@/lib/time";
import { MEAN_RETURN, type RunSeries } from "@/stream/series/run-series";
import { Stat } from "@/ui/card";
import { Progress } from "@/ui/progress";
import { useStreamedEnds } from "./curves/highlight";

interface RunFactsProps {
  run: RunDetail;
  /** What its charts show. */
  series: RunSeries;
}

export function RunFacts({ run, series }: RunFactsProps) {
  const training = ["running", "pausing", "stopping"].includes(run.status);
  const [, newestMean] = useStreamedEnds(series, MEAN_RETURN);
  const now = useNow(training ? "second" : "minute");
  const trained = elapsed(run, now);
  const left = run.status === "running" ? remaining(run) : null;
  const share = progress(run);
  const endless = !hasLength(run);
  const { meanEpisodes, averageEpisodes } = useMetricRegistry();
  return (
    <section aria-label="Progress" className="rounded-lg border border-line bg-surface shadow-card">
      {endless || (
        <Progress
          share={share}
          label={learns(run) ? "Training progress" : "Progress of the run"}
          valueText={`${count(run.step)} of ${count(run.end_step)} steps`}
          live={isActive(run)}
          className="rounded-none rounded-t-lg"
        />
      )}
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 px-4 py-3 sm:grid-cols-3 lg:grid-cols-[repeat(auto-fit,minmax(8rem,1fr))]">
        <Stat
          label={endless ? "Steps" : "Step"}
          note={!endless && `of ${brief(run.end_step)} · ${percent(share)}`}
        >
          {count(run.step)}
        </Stat>
        <Stat label="Elapsed" note={!endless && left !== null && `${duration(left)} left`}>
          {run.status === "starting" ? "Starting…" : trained === null ? NONE : duration(trained)}
        </Stat>
        <Stat label="Steps per second" note={training ? "now" : run.fps !== null && "on average"}>
          {count(run.fps)}
        </Stat>
        <Stat label="Episodes" note={!hasEpisodes(run) && "not recorded"}>
          {hasEpisodes(run) ? count(run.episodes) : NONE}
        </Stat>
        <Stat label="Mean return" note={meanEpisodes && meanNote(run, meanEpisodes)}>
          {/* Rows arrive more often than the state of the run: the chart shows this mean too. */}
          {decimal(training ? (newestMean ?? run.ep_rew_mean) : run.ep_rew_mean)}
        </Stat>
        <Stat label="Best average" note={averageEpisodes && averageNote(run, averageEpisodes)}>
          {decimal(run.best_moving_average)}
        </Stat>
        <Solved run={run} />
        {run.best_policy && (
          <Stat
            label="Best policy, greedy"
            note={`± ${decimal(run.best_policy.std_return)}, step ${brief(run.best_policy.step)}`}
          >
            {decimal(run.best_policy.mean_return)}
          </Stat>
        )}
      </dl>
    </section>
  );
}

/** Over how many of the last episodes the mean return is. */
function meanNote({ episodes, parent }: RunDetail, most: number): string {
  return `last ${Math.min(most, episodes || most)}${parent ? ", with parent’s" : ""}`;
}

function averageNote({ best_moving_average_step: step }: RunDetail, episodes: number): string {
  return step === null ? `of ${episodes} episodes` : `of ${episodes}, at step ${brief(step)}`;
}

/** Whether their number is known: the log of another tool may have mean returns alone. */
function hasEpisodes(run: RunDetail): boolean {
  return run.actor !== "foreign" || run.episodes > 0 || isActive(run);
}

/** When the policy was first shown to reach the environment's reward threshold; nothing where there is none. */
function Solved({ run }: { run: RunDetail }) {
  const { solved, reward_threshold: threshold } = run;
  const { meanEpisodes } = useMetricRegistry();
  if (threshold === null) return null;
  if (solved === null) {
    return (
      <Stat label="Solved" note={`return of ${decimal(threshold)}`}>
        {unsolvedWords(run)}
      </Stat>
    );
  }
  const after = solved.seconds === null ? "" : `after ${duration(solved.seconds * 1000)}, `;
  const mean = meanEpisodes == null ? "mean return" : `mean of ${meanEpisodes}`;
  const by = solved.by === "training" ? mean : "evaluation";
  return (
    <Stat label="Solved" note={`${after}${by} ≥ ${decimal(solved.threshold)}`}>
      step {count(solved.step)}
    </Stat>
  );
}
