"use client";

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { HoverLink } from "@/ui/hover-link";
import { type ReactNode, useState } from "react";
import { hintTestPlanQuery, startHintTest } from "@/api/hint-tests";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import type { Hint, HintTestPlan, RunDetail } from "@/api/types";
import { duration } from "@/lib/format-time";
import { count, plural, settingText } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Select } from "@/ui/select";

interface TestHintProps {
  run: RunDetail;
  hint: Hint;
  onClose: () => void;
}

/** Shows what a test of a hint trains and how long it takes, and starts it after a confirmation. */
export function TestHint({ run, hint, onClose }: TestHintProps) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...hintTestPlanQuery(run.id, hint.id, chosen),
    placeholderData: keepPreviousData,
  });
  const start = useMutation({
    mutationFn: (change: string) => startHintTest(run.id, hint.id, change),
    onSuccess: async () => {
      void client.invalidateQueries({ queryKey: keys.experiments });
      void client.invalidateQueries({ queryKey: keys.runs });
      await client.invalidateQueries({ queryKey: keys.hints(run.id) });
      onClose();
    },
  });
  const ready = data && !isPlaceholderData && data.running === null;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Test this hint"
      description={hint.title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            needsService
            busy={start.isPending}
            disabled={!ready}
            onClick={() => data && start.mutate(data.change.name)}
          >
            {data ? `Start ${plural(data.runs, "run")}` : "Start"}
          </Button>
        </>
      }
    >
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-48" />
      ) : (
        <Plan plan={data} onChoose={setChosen} />
      )}
      {start.error && (
        <div className="mt-3">
          <Notice tone="bad" role="alert" title="The test was not started">
            <p>{explainAction(start.error)}</p>
          </Notice>
        </div>
      )}
    </Dialog>
  );
}

interface PlanProps {
  plan: HintTestPlan;
  onChoose: (change: string) => void;
}

function Plan({ plan, onChoose }: PlanProps) {
  const { change, changes, before, running } = plan;
  return (
    <div className="flex flex-col gap-3 text-sm">
      <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-[7rem_minmax(0,1fr)]">
        <Row label="Change">
          {changes.length > 1 ? (
            <Select
              aria-label="Change"
              className="mb-1"
              value={change.name}
              onChange={(event) => onChoose(event.target.value)}
            >
              {changes.map(({ name, value }) => (
                <option key={name} value={name}>
                  {name}: {settingText(value)}
                </option>
              ))}
            </Select>
          ) : null}
          <span className="font-mono">{change.name}</span> {settingText(before)} →{" "}
          <strong className="font-semibold">{settingText(change.value)}</strong>
        </Row>
        <Row label="Runs">
          {plan.runs}: seeds {plan.seeds.join(", ")}, each without and with the change
        </Row>
        <Row label="Start">
          {plan.fork
            ? `Forks of this run at the snapshot of step ${count(plan.fork.step)}`
            : "New runs from the beginning"}
          {plan.why_new && <span className="block text-xs text-ink-soft">{plan.why_new}</span>}
        </Row>
        <Row label="Training">
          {count(plan.steps)} steps each, {count(plan.total_timesteps)} in total
          {plan.length_note && (
            <span className="block text-xs text-ink-soft">{plan.length_note}</span>
          )}
        </Row>
        <Row label="Score">
          Mean return of the final policy in {plural(plan.episodes, "new episode")}
        </Row>
        <Row label="Duration">
          {plan.seconds === null
            ? "Unknown, since no run of this kind was measured yet"
            : `About ${duration(plan.seconds * 1000)}, ${plural(plan.parallel, "run")} at a time, at the measured speed`}
          {plan.busy > 0 && (
            <span className="block text-xs text-ink-soft">
              {plural(plan.busy, "other run")}{" "}
              {plan.busy === 1 ? "trains or waits" : "train or wait"} now, so the test may have to
              wait.
            </span>
          )}
        </Row>
      </dl>
      {plan.notes.map((note) => (
        <p key={note} className="text-xs text-ink-soft">
          {note}
        </p>
      ))}
      <p className="text-xs text-ink-soft">
        The test is listed under Experiments, where you can stop it. Three seeds show only a large
        effect.
      </p>
      {running !== null && (
        <Notice tone="info" title="This change is being tested">
          <HoverLink
            href={routes.experiment(running)}
            className="rounded-sm font-medium text-accent hover:underline"
          >
            Open the test
          </HoverLink>
        </Notice>
      )}
    </div>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-ink-soft max-sm:-mb-1.5 max-sm:text-xs">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
