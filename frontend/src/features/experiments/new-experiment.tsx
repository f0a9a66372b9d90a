"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { controlClass, Field } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import {
  algorithmsQuery,
  ApiError,
  createExperiment,
  environmentsQuery,
  explainAction,
} from "@/lib/api";
import { compact, plural } from "@/lib/format";
import { routes } from "@/lib/url";
import {
  type ExperimentDraft,
  FIRST,
  offerIn,
  SEED_COUNTS,
  toSpecification,
  totalSteps,
  variantsIn,
} from "./draft";
import { VariantFields } from "./variant-fields";

/** The form of a new experiment: what is compared, where, and with how many seeds. */
export function NewExperiment({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const { data: algorithms = [] } = useQuery(algorithmsQuery);
  const { data: environments = [] } = useQuery(environmentsQuery);
  const [draft, setDraft] = useState<ExperimentDraft>(FIRST);
  const change = (changes: Partial<ExperimentDraft>) => setDraft({ ...draft, ...changes });
  const offer = offerIn(environments, algorithms, draft.env);
  const runs = draft.variants.length * Number(draft.seeds);
  const steps = totalSteps(draft, offer);
  const create = useMutation({
    mutationFn: () => createExperiment(toSpecification(draft, offer)),
    onSuccess: ({ id }) => router.push(routes.experiment(id)),
  });
  const enter = (env: string) => {
    const variants = variantsIn(offerIn(environments, algorithms, env), draft.variants);
    change({ env, variants });
  };
  const problems = create.error instanceof ApiError ? create.error.fields : [];
  const stepsProblem = problems.find(({ pointer }) => pointer.endsWith("/total_timesteps"));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New experiment"
      footer={
        <>
          <span className="mr-auto text-xs text-ink-soft tabular-nums">
            {plural(runs, "run")}
            {steps !== null && `, ${compact(steps)} steps together`}
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            needsService
            busy={create.isPending}
            disabled={draft.variants.length === 0}
            onClick={() => create.mutate()}
          >
            Start
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Environment">
          {(control) => (
            <Select
              {...control}
              value={draft.env}
              onChange={(event) => enter(event.currentTarget.value)}
            >
              {environments.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <VariantFields
          variants={draft.variants}
          offer={offer}
          onChange={(variants) => change({ variants })}
        />
        <div className="grid grid-cols-2 gap-3">
          <Field label="Seeds of each" hint="More seeds, narrower intervals.">
            {(control) => (
              <Select
                {...control}
                value={draft.seeds}
                onChange={(event) => change({ seeds: event.currentTarget.value })}
              >
                {SEED_COUNTS.map((count) => (
                  <option key={count} value={count}>
                    {count}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label="Steps of each run" hint="Empty: the preset's." error={stepsProblem?.detail}>
            {(control) => (
              <input
                {...control}
                className={controlClass}
                inputMode="numeric"
                placeholder="preset"
                value={draft.steps}
                onChange={(event) => change({ steps: event.currentTarget.value })}
              />
            )}
          </Field>
        </div>
        {create.error && !stepsProblem && (
          <Notice tone="bad" role="alert" title="The experiment was not started">
            <p>{explainAction(create.error)}</p>
          </Notice>
        )}
      </div>
    </Dialog>
  );
}
