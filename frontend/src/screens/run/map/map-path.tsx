"use client";

import { useQuery } from "@tanstack/react-query";
import { evaluationsQuery } from "@/api/evaluations";
import { explainAction } from "@/api/http";
import { recordedQuery } from "@/api/recording";
import { isGreedy } from "@/api/runs";
import { whyNotTrusted } from "@/api/run-availability";
import { clipCellsQuery, episodeCellsQuery } from "@/api/steps";
import type { Clip, Evaluation, RunDetail, RunMap } from "@/api/types";
import { count, decimal } from "@/lib/number";
import { clipOptionsOf, useClip, useKeptPolicy } from "@/player/film";
import { Select } from "@/ui/select";

/** Whose path the map shows: of the newest evaluated policy, of the policy of a step, of a recorded episode, or none. */
export type PathOf =
  | { kind: "newest" }
  | { kind: "policy" }
  | { kind: "episode"; evaluation: string; episode: number }
  | { kind: "none" };

export interface ShownPath {
  /** Ids of the cells; empty while there is nothing to draw. */
  cells: readonly number[];
  /** What the line is, or why there is none; null: nothing to say. */
  says: string | null;
  busy: boolean;
  failed: boolean;
}

const NOTHING: ShownPath = { cells: [], says: null, busy: false, failed: false };
const FROM_TO = ", from the open to the filled circle.";
const WITHOUT_CELLS = "The recorded steps of this episode contain no cells.";

/** The path that was chosen, as far as it is known. `step` is that of the map. */
export function useMapPath(run: RunDetail, map: RunMap, chosen: PathOf, step: number): ShownPath {
  const clip = usePolicyClip(run, chosen.kind === "policy" ? step : null);
  const ofClip = useQuery({
    ...clipCellsQuery(clip.clip ?? ({ run_id: run.id, id: "" } as Clip)),
    enabled: clip.clip?.status === "ready" && chosen.kind === "policy",
  });
  const episode = chosen.kind === "episode" ? chosen : null;
  const ofEpisode = useQuery({
    ...episodeCellsQuery(run.id, episode?.evaluation ?? "", episode?.episode ?? 0),
    enabled: episode !== null,
  });
  switch (chosen.kind) {
    case "none":
      return NOTHING;
    case "newest":
      return map.path
        ? drawn(map.path.cells, `of the evaluated policy of step ${count(map.path.step)}`)
        : NOTHING;
    case "policy": {
      if (clip.why !== null) return failed(clip.why);
      if (clip.failure !== null) return failed(clip.failure);
      if (ofClip.error) return failed(explainAction(ofClip.error));
      if (ofClip.data === null) return failed(WITHOUT_CELLS);
      if (clip.isMaking || ofClip.data === undefined) {
        return { ...NOTHING, busy: true, says: `The policy of step ${count(clip.step)} plays…` };
      }
      return drawn(
        ofClip.data,
        `of the policy of step ${count(clip.step)}, ${isGreedy(run) ? "greedy" : "with sampled actions"}`,
      );
    }
    case "episode":
      if (ofEpisode.error) return failed(explainAction(ofEpisode.error));
      if (ofEpisode.data === null) return failed(WITHOUT_CELLS);
      if (ofEpisode.data === undefined)
        return { ...NOTHING, busy: true, says: "Reading the episode…" };
      return drawn(ofEpisode.data, "of the recorded episode");
  }
}

function drawn(cells: readonly number[], whose: string): ShownPath {
  if (cells.length === 0) return { ...NOTHING, says: `The path ${whose} contains no cells.` };
  const says =
    cells.length > 1
      ? `The line is the path ${whose}${FROM_TO}`
      : `The path ${whose} stays in the cell with the circle.`;
  return { ...NOTHING, cells, says };
}

function failed(says: string): ShownPath {
  return { ...NOTHING, says, failed: true };
}

/** An episode of the policy that was kept at or before a step, which is played on request. */
function usePolicyClip(run: RunDetail, step: number | null) {
  const { policy, why, isPending } = useKeptPolicy(run, step);
  const untrusted = whyNotTrusted(run);
  const asked = untrusted === null && policy ? policy.step : null;
  const { clip, error, isMaking } = useClip(run.id, asked, clipOptionsOf(run));
  const isOwn = clip !== undefined && clip.step === policy?.step;
  return {
    clip: isOwn ? clip : undefined,
    step: policy?.step ?? null,
    isMaking: isPending || isMaking || !isOwn,
    why: untrusted ?? why,
    failure: error
      ? explainAction(error)
      : isOwn && clip.status === "failed"
        ? `The policy could not be played. ${clip.cause ?? ""}`.trim()
        : null,
  };
}

interface PathChoiceProps {
  run: RunDetail;
  /** Whether there is a path of the newest evaluated policy. */
  hasNewest: boolean;
  chosen: PathOf;
  onChoose: (chosen: PathOf) => void;
}

/** Evaluations of each kind that are offered, the newest ones, and episodes of each. */
const MOST_EVALUATIONS = 20;
const MOST_EPISODES = 10;

/** Chooses whose path the map shows. */
export function PathChoice({ run, hasNewest, chosen, onChoose }: PathChoiceProps) {
  const { data: requested } = useQuery(evaluationsQuery(run.id));
  const { data: recorded } = useQuery(recordedQuery(run.id));
  const groups = [
    { label: "Evaluations", episodes: episodesOf(requested) },
    { label: "Recorded while training", episodes: episodesOf(recorded) },
  ];
  return (
    <label className="flex items-center gap-2 text-xs text-ink-soft">
      <span>Path</span>
      <Select
        className="grow"
        value={nameOf(chosen)}
        onChange={({ currentTarget }) => onChoose(parsed(currentTarget.value))}
      >
        {(hasNewest || chosen.kind === "newest") && (
          <option value="newest">Newest evaluated policy</option>
        )}
        <option value="policy">Policy at this step</option>
        {groups.map(
          ({ label, episodes }) =>
            episodes.length > 0 && (
              <optgroup key={label} label={label}>
                {episodes.map(({ path, text }) => (
                  <option key={nameOf(path)} value={nameOf(path)}>
                    {text}
                  </option>
                ))}
              </optgroup>
            ),
        )}
        <option value="none">No path</option>
      </Select>
    </label>
  );
}

/** The recorded episodes of the newest evaluations. */
function episodesOf(evaluations: readonly Evaluation[] | undefined) {
  const recorded = (evaluations ?? []).filter(({ has_steps, summary }) => has_steps && summary);
  return recorded.slice(0, MOST_EVALUATIONS).flatMap(({ id, checkpoint_step, summary }) =>
    summary!.episodes.slice(0, MOST_EPISODES).map(({ index, episode_return }, episode) => ({
      path: { kind: "episode", evaluation: id, episode } as const,
      text: [
        checkpoint_step !== null && `Step ${count(checkpoint_step)}`,
        summary!.episodes.length > 1 && `episode ${index}`,
        `return ${decimal(episode_return)}`,
      ]
        .filter(Boolean)
        .join(", "),
    })),
  );
}

function nameOf(path: PathOf): string {
  return path.kind === "episode" ? `${path.evaluation} ${path.episode}` : path.kind;
}

function parsed(name: string): PathOf {
  if (name === "newest" || name === "policy" || name === "none") return { kind: name };
  const [evaluation = "", episode = "0"] = name.split(" ");
  return { kind: "episode", evaluation, episode: Number(episode) };
}
