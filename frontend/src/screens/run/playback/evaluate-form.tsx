"use client";

import { Clapperboard, SlidersHorizontal } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { useLimits } from "@/api/choices";
import { usualPolicy } from "@/api/evaluate";
import { learns } from "@/api/run-availability";
import { isGreedy } from "@/api/runs";
import type { CreateEvaluation, Evaluation, PolicyChoice, RunDetail } from "@/api/types";
import { brief, count, parseNumber, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";

interface EvaluateFormProps {
  busy: boolean;
  blocked: boolean;
  /** The next thing to do on this page. */
  primary: boolean;
  /** Whose policies there are to play. */
  run: Pick<RunDetail, "actor" | "best_policy" | "config" | "policy_step">;
  onEvaluate: (wanted: CreateEvaluation) => void;
}

const COUNTS = [1, 3, 5, 10, 20, 50, 100];

export function EvaluateForm({ busy, blocked, primary, run, onEvaluate }: EvaluateFormProps) {
  const limits = useLimits();
  const [draft, setDraft] = useState<RequestDraft>(USUAL);
  const [open, setOpen] = useState(false);
  const optionsId = useId();
  const change = (part: Partial<RequestDraft>) => setDraft({ ...draft, ...part });
  const invalid = seedError(draft.seed, limits?.seed.maximum ?? Infinity);
  const usual = usualPolicy(run);
  const greedy = draft.deterministic ?? isGreedy(run);
  const { maximum = Infinity, default: byDefault } = limits?.evaluation_episodes ?? {};
  const counts = COUNTS.filter((n) => n <= maximum);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (invalid || busy || blocked) return setOpen(open || invalid !== undefined);
    onEvaluate(toRequest(draft, usual));
  };
  return (
    <form aria-label="New evaluation" onSubmit={submit} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2 @md:flex-nowrap">
        {run.best_policy && (
          <Select
            aria-label="Policy to evaluate"
            className="w-44 min-w-0 grow @sm:grow-0"
            value={draft.policy ?? usual}
            onChange={(event) => change({ policy: event.target.value as PolicyChoice })}
          >
            <option value="best">Best, step {brief(run.best_policy.step)}</option>
            <option value="latest">
              Latest{run.policy_step !== null && `, step ${brief(run.policy_step)}`}
            </option>
          </Select>
        )}
        <Select
          aria-label="Episodes to evaluate"
          className="w-30 shrink-0 grow @sm:grow-0"
          value={draft.episodes ?? byDefault ?? ""}
          onChange={(event) => change({ episodes: Number(event.target.value) })}
        >
          {counts.map((n) => (
            <option key={n} value={n}>
              {plural(n, "episode")}
            </option>
          ))}
        </Select>
        <Button
          variant="quiet"
          aria-expanded={open}
          aria-controls={optionsId}
          onClick={() => setOpen(!open)}
          icon={<SlidersHorizontal aria-hidden className="size-3.5" />}
        >
          Options
        </Button>
        <Button
          type="submit"
          needsService
          className="grow whitespace-nowrap @sm:ml-auto @sm:grow-0"
          busy={busy}
          variant={primary ? "primary" : "secondary"}
          disabled={blocked}
          icon={<Clapperboard aria-hidden className="size-3.5" />}
        >
          {busy ? "Evaluating…" : "Run evaluation"}
        </Button>
      </div>
      <div id={optionsId} hidden={!open} className="grid gap-3 @md:grid-cols-2 [&[hidden]]:hidden">
        <Field
          label="Seed"
          error={invalid}
          hint="Empty: the same episodes as every evaluation, so that policies can be compared"
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              placeholder="usual"
              value={draft.seed}
              onChange={(event) => change({ seed: event.target.value })}
              className={controlClass}
            />
          )}
        </Field>
        {learns(run) && (
          <Field
            label="Actions"
            hint={
              greedy
                ? "Always the action the policy prefers"
                : "Drawn from the policy, as in training"
            }
          >
            {(control) => (
              <Select
                {...control}
                value={greedy ? "greedy" : "sampled"}
                onChange={(event) => change({ deterministic: event.target.value === "greedy" })}
              >
                <option value="greedy">Greedy</option>
                <option value="sampled">Sampled</option>
              </Select>
            )}
          </Field>
        )}
      </div>
    </form>
  );
}

/** The text in the form, as typed. */
interface RequestDraft {
  /** Null until the user chooses: then the service's default number. */
  episodes: number | null;
  seed: string;
  /** Null until the user chooses: then as in the run's evaluations during training. */
  deterministic: boolean | null;
  /** Null until the user chooses: then the best policy if the run keeps one, otherwise the latest. */
  policy: PolicyChoice | null;
}

const USUAL: RequestDraft = {
  episodes: null,
  seed: "",
  deterministic: null,
  policy: null,
};

/** The problem with a seed as typed. `most`: the largest seed that the service accepts. */
function seedError(seed: string, most: number): string | undefined {
  if (seed.trim() === "") return undefined;
  const value = parseNumber(seed);
  if (!Number.isSafeInteger(value)) return "Enter a whole number";
  return value < 0 || value > most ? `Must be 0 to ${count(most)}` : undefined;
}

/** Only values that differ from the service's defaults are sent. `usual`: the policy if the user did not choose one. */
function toRequest(
  { episodes, seed, deterministic, policy }: RequestDraft,
  usual: PolicyChoice,
): CreateEvaluation {
  const chosen = policy ?? usual;
  return {
    ...(episodes !== null && { episodes }),
    ...(seed.trim() !== "" && { seed: parseNumber(seed) }),
    ...(deterministic !== null && { deterministic }),
    ...(chosen !== "latest" && { policy: chosen }),
  };
}

/** The same evaluation once more. */
export function again({ episodes, seed, deterministic, policy }: Evaluation): CreateEvaluation {
  return { episodes, seed, deterministic, policy };
}
