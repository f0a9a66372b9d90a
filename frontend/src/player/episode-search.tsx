import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Search } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { episodeSearchQuery } from "@/api/evaluations";
import { ApiError } from "@/api/http";
import type { FoundEpisode } from "@/api/types";
import { brief, count, decimal, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/progress";
import { useShortened } from "@/ui/tooltip";
import { type JudgedRun, NOT_KEPT, type WatchedEpisode } from "./judged";

interface EpisodeSearchProps {
  runs: readonly JudgedRun[];
  onWatch: (episode: WatchedEpisode) => void;
}

/** Episodes that are listed at first. */
const MOST = 10;

const EXAMPLES = ["return < 100 and length > 200", "not terminated", "step >= 20k"];

/** Episodes over all evaluations of some runs that fulfil a condition, the worst first. */
export function EpisodeSearch({ runs, onWatch }: EpisodeSearchProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [where, setWhere] = useState<string | null>(null);
  const search = (event: FormEvent) => {
    event.preventDefault();
    setWhere(text.trim());
  };
  return (
    <div className="flex flex-col gap-2">
      <form role="search" onSubmit={search} className="flex gap-2">
        <label htmlFor={id} className="sr-only">
          Episodes with
        </label>
        <input
          id={id}
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder={EXAMPLES[0]}
          spellCheck={false}
          autoCapitalize="off"
          aria-describedby={`${id}-help`}
          className="h-8 min-w-0 grow rounded-md border border-control-line bg-raised px-2.5 font-mono text-xs max-md:h-10"
        />
        <Button type="submit" icon={<Search aria-hidden className="size-4" />}>
          Find
        </Button>
      </form>
      <p id={`${id}-help`} className="text-xs text-ink-faint">
        Compare return, length, step, episode or seed; or write terminated, truncated,
        deterministic, video; join by and, or, not.
      </p>
      {where === null ? (
        <ul aria-label="Examples of a search" className="flex flex-wrap gap-1.5">
          {EXAMPLES.map((example) => (
            <li key={example}>
              <button
                type="button"
                onClick={() => {
                  setText(example);
                  setWhere(example);
                }}
                className="rounded-md border border-line px-2 py-1 font-mono text-2xs text-ink-soft hover:bg-sunken max-md:py-2.5"
              >
                {example}
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <Found key={where} {...{ runs, where, onWatch }} />
      )}
    </div>
  );
}

function Found({ runs, where, onWatch }: EpisodeSearchProps & { where: string }) {
  const ids = runs.map(({ id }) => id);
  const { data, error } = useQuery(episodeSearchQuery(ids, where));
  const { shown, more } = useShortened(data?.episodes ?? [], MOST);
  if (error)
    return (
      <p role="alert" className="text-xs break-words text-bad-strong">
        {error instanceof ApiError ? error.detail : error.message}
      </p>
    );
  if (!data) return <Skeleton className="h-16" />;
  const sent = data.episodes.length;
  return (
    <>
      <p role="status" className="text-xs text-ink-soft">
        {count(data.found)} of {plural(data.searched, "episode")}
        {sent < data.found && `; the first ${count(sent)} are listed`}
      </p>
      {sent > 0 && (
        <ol aria-label="Episodes found" className="overflow-hidden rounded-md border border-line">
          {shown.map((episode) => (
            <li
              key={`${episode.run_id} ${episode.evaluation_id} ${episode.result.index}`}
              className="border-line not-first:border-t"
            >
              <Line
                episode={episode}
                run={runs.length > 1 ? runs.find(({ id }) => id === episode.run_id) : undefined}
                onWatch={onWatch}
              />
            </li>
          ))}
        </ol>
      )}
      {more}
    </>
  );
}

interface LineProps {
  episode: FoundEpisode;
  /** Named if there are several runs. */
  run: JudgedRun | undefined;
  onWatch: (episode: WatchedEpisode) => void;
}

function Line({ episode, run, onWatch }: LineProps) {
  const { result, has_video: kept, evaluation_id: evaluation } = episode;
  const step = brief(episode.checkpoint_step);
  return (
    <button
      type="button"
      title={kept ? undefined : NOT_KEPT}
      aria-label={`${kept ? "Play" : "Show"} episode ${result.index} of the evaluation${run ? ` of ${run.name}` : ""} at step ${step}: return ${decimal(result.episode_return)}, ${count(result.episode_length)} steps`}
      onClick={() => onWatch({ run: episode.run_id, evaluation, frame: result.first_frame })}
      className={clsx(
        "grid w-full gap-x-2 gap-y-0.5",
        run
          ? "grid-cols-[4.5rem_1fr_1fr_5rem] sm:grid-cols-[minmax(6rem,2fr)_4.5rem_1fr_1fr_5rem]"
          : "grid-cols-[4.5rem_1fr_1fr_5rem]",
        "px-2 py-1.5 text-right text-xs tabular-nums -outline-offset-2! hover:bg-sunken max-md:py-2.5",
        !kept && "text-ink-faint",
      )}
    >
      {run && (
        <span className="flex min-w-0 items-center gap-2 text-left max-sm:col-span-4">
          {run.mark}
          <span className="truncate">{run.name}</span>
        </span>
      )}
      <span className="text-left text-ink-faint">
        {step} · {result.index}
      </span>
      <span className="font-medium">{decimal(result.episode_return)}</span>
      <span>{count(result.episode_length)}</span>
      <span className={kept ? "text-ink-soft" : undefined}>
        {kept ? (result.truncated ? "truncated" : "terminated") : "no video"}
      </span>
    </button>
  );
}
