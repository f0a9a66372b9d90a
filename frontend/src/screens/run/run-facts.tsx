"use client";

import type { ReactNode } from "react";
import { useMetricRegistry } from "@/api/metric-registry";
import { learns } from "@/api/run-availability";
import { hasLength, isActive, isGreedy, progress } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { duration, elapsed, remaining } from "@/lib/format-time";
import { brief, count, decimal, NONE, percent, plural } from "@/lib/number";
import { unsolvedWords } from "@/lib/solved";
import { useNow } from "@/lib/time";
import { MEAN_RETURN, type RunSeries } from "@/stream/series/run-series";
import { Progress } from "@/ui/progress";
import { useStreamedEnds } from "./curves/highlight";

interface RunFactsProps {
  run: RunDetail;
  /** What its charts show. */
  series: RunSeries;
}

/** Four figures: progress and time left, the return now, the best evaluation, and when it was solved. */
export function RunFacts({ run, series }: RunFactsProps) {
  const training = ["running", "pausing", "stopping"].includes(run.status);
  const [, newestMean] = useStreamedEnds(series, MEAN_RETURN);
  const now = useNow(training ? "second" : "minute");
  const trained = elapsed(run, now);
  const left = run.status === "running" ? remaining(run) : null;
  const share = progress(run);
  const endless = !hasLength(run);
  const { meanEpisodes, averageEpisodes } = useMetricRegistry();
  const best = run.best_moving_average;
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
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 px-4 py-3 md:grid-cols-[repeat(auto-fit,minmax(11rem,1fr))]">
        <Figure
          label="Progress"
          notes={[
            `${endless ? "" : `step ${count(run.step)} of ${brief(run.end_step)} · `}${timeText(run, trained)}`,
            run.fps !== null && `${count(run.fps)} steps/s${training ? "" : " on average"}`,
          ]}
        >
          {endless ? `step ${count(run.step)}` : percent(share)}
          {left !== null && <Small>{duration(left)} left</Small>}
        </Figure>
        <Figure
          label="Return now"
          notes={[
            hasEpisodes(run)
              ? `${plural(run.episodes, "episode")}${meanEpisodes && run.episodes > 0 ? `, mean of ${meanNote(run, meanEpisodes)}` : ""}`
              : "episodes are not recorded",
            best !== null &&
              `best ${averageEpisodes ? `${averageEpisodes}-episode ` : ""}average ${decimal(best)}${bestStep(run)}`,
          ]}
        >
          {/* Rows arrive more often than the state of the run: the chart shows this mean too. */}
          {decimal(training ? (newestMean ?? run.ep_rew_mean) : run.ep_rew_mean)}
        </Figure>
        {learns(run) && <BestEvaluation run={run} />}
        <Solved run={run} />
      </dl>
    </section>
  );
}

interface FigureProps {
  label: string;
  notes: readonly (string | false)[];
  children: ReactNode;
}

/** A large number with its name and details. */
function Figure({ label, notes, children }: FigureProps) {
  return (
    <div className="min-w-0">
      <dt className="truncate text-xs text-ink-faint">{label}</dt>
      <dd className="mt-0.5 flex flex-wrap items-baseline gap-x-2 text-xl font-semibold tracking-tight tabular-nums">
        {children}
      </dd>
      {notes.filter(Boolean).map((note) => (
        <dd key={String(note)} className="text-xs text-ink-faint tabular-nums">
          {note}
        </dd>
      ))}
    </div>
  );
}

function Small({ children }: { children: ReactNode }) {
  return <span className="text-sm font-normal tracking-normal text-ink-soft">{children}</span>;
}

function timeText(run: RunDetail, trained: number | null): string {
  if (run.status === "starting") return "starting…";
  return trained === null ? "not started" : duration(trained);
}

/** The best mean return of a policy: of the best kept policy, or of an evaluation. */
function BestEvaluation({ run }: { run: RunDetail }) {
  const found = run.best_evaluation;
  return (
    <Figure
      label={`Best evaluation, ${isGreedy(run) ? "greedy" : "sampled"}`}
      notes={found ? [`policy of step ${brief(found.step)}`] : ["no evaluation yet"]}
    >
      {found ? (
        <>
          {decimal(found.mean)} <Small>± {decimal(found.std)}</Small>
        </>
      ) : (
        NONE
      )}
    </Figure>
  );
}

/** Over how many of the last episodes the mean return is. */
function meanNote({ episodes, parent }: RunDetail, most: number): string {
  return `the last ${Math.min(most, episodes || most)}${parent ? ", with its parent’s" : ""}`;
}

function bestStep({ best_moving_average_step: step }: RunDetail): string {
  return step === null ? "" : `, step ${brief(step)}`;
}

/** Whether their number is known: the log of another tool may have mean returns alone. */
function hasEpisodes(run: RunDetail): boolean {
  return run.actor !== "foreign" || run.episodes > 0 || isActive(run);
}

/** When the policy was first shown to reach the environment's reward threshold; hidden before that. */
function Solved({ run }: { run: RunDetail }) {
  const { solved, reward_threshold: threshold } = run;
  const { meanEpisodes } = useMetricRegistry();
  if (threshold === null) return null;
  if (solved === null) {
    return (
      <Figure label="Solved" notes={[`needs a return of ${decimal(threshold)}`]}>
        {unsolvedWords(run)}
      </Figure>
    );
  }
  const mean = meanEpisodes == null ? "mean return" : `mean of ${meanEpisodes}`;
  const by = solved.by === "training" ? mean : "evaluation";
  return (
    <Figure
      label="Solved"
      notes={[
        solved.seconds !== null && `at step ${count(solved.step)}`,
        `${by} ≥ ${decimal(solved.threshold)}`,
      ]}
    >
      {solved.seconds === null
        ? `step ${count(solved.step)}`
        : `after ${duration(solved.seconds * 1000)}`}
    </Figure>
  );
}
