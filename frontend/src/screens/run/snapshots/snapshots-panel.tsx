"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Camera, GitFork, SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { canDo, whyLookedAtOnly } from "@/api/run-availability";
import { isActive } from "@/api/runs";
import { changeSnapshotPlan, keepSnapshot, snapshotsQuery } from "@/api/snapshots";
import type { Limits, RunDetail, RunSnapshots, SnapshotInfo, SnapshotPlan } from "@/api/types";
import { parseInteger } from "@/forms/parse";
import { planDraft, PlanFields, planOf, planText } from "@/forms/snapshot-plan";
import { bytes, count, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { ConfirmDialog, Dialog } from "@/ui/dialog";
import { Field, MEND_FIRST } from "@/ui/field";
import { ErrorState } from "@/ui/notice";
import { Popover } from "@/ui/popover";
import { Skeleton } from "@/ui/progress";
import { controlClass } from "@/ui/select";
import { useShortened } from "@/ui/tooltip";
import { ForkDialog } from "./fork-dialog";
import { SnapshotRow, useSnapshotAction, useTakeSnapshot } from "./snapshot-row";
import {
  called,
  confirmationOf,
  type ConfirmedAction,
  type SnapshotAction,
  whyNotForkAtStep,
} from "./snapshot-text";

/** Snapshots that are listed at first, the newest ones. */
const MOST = 10;

/** Snapshots are taken at rollouts, which no event of the stream reports. */
const WHILE_LIVE = 3000;

/** The snapshots of a run: a list, their size, and the actions on each. */
export function SnapshotsPanel({ run }: { run: RunDetail }) {
  const { data, error, refetch, isFetching } = useQuery({
    ...snapshotsQuery(run.id),
    refetchInterval: isActive(run) ? WHILE_LIVE : (false as const),
  });
  if (data) return <Snapshots run={run} found={data} />;
  if (!error) return <Skeleton className="m-4 h-40" />;
  return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
}

/** A snapshot that the page has requested. It is complete when a new one appears in the list. */
interface Asked {
  attempt: number;
  before: ReadonlySet<string>;
}

function Snapshots({ run, found }: { run: RunDetail; found: RunSnapshots }) {
  const { snapshots } = found;
  const [pending, setPending] = useState<{ action: SnapshotAction; name: string } | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [forkStep, setForkStep] = useState<number | null>(null);
  const chosen = snapshots.find(({ name }) => name === pending?.name);
  const { shown, more } = useShortened(snapshots.toReversed(), MOST);
  const close = () => setPending(null);
  const canTake = canDo("snapshot", run);
  const awaited =
    canTake &&
    asked?.attempt === run.attempt &&
    !snapshots.some(({ name, trigger }) => trigger === "requested" && !asked.before.has(name));
  return (
    <div className="p-4">
      <div className="flex min-h-7 flex-wrap items-center justify-between gap-2 text-xs text-ink-faint">
        <span className="tabular-nums">{totalText(found)}</span>
        <span className="flex flex-wrap gap-2">
          {found.plan && whyLookedAtOnly(run) === null && (
            <ChangePlan run={run} plan={found.plan} />
          )}
          {whyNotForkAtStep(run) === null && <ForkAtStep run={run} onFork={setForkStep} />}
          {canTake && (
            <TakeSnapshot
              run={run.id}
              busy={awaited}
              onAsked={() =>
                setAsked({
                  attempt: run.attempt,
                  before: new Set(snapshots.map(({ name }) => name)),
                })
              }
            />
          )}
        </span>
      </div>
      {awaited && (
        <p role="status" className="mt-1 text-xs text-ink-soft">
          It is taken at the start of the next rollout.
        </p>
      )}
      {snapshots.length === 0 ? (
        <p className="py-6 text-center text-sm text-ink-soft">{whyNone(run)}</p>
      ) : (
        <ul aria-label="Snapshots" className="mt-1 divide-y divide-line">
          {shown.map((snapshot) => (
            <SnapshotRow
              key={snapshot.name}
              run={run}
              snapshot={snapshot}
              isNewest={snapshot.name === found.newest}
              onAct={(action) => setPending({ action, name: snapshot.name })}
            />
          ))}
        </ul>
      )}
      {more}
      {forkStep !== null && (
        <ForkDialog run={run} at={forkStep} onClose={() => setForkStep(null)} />
      )}
      {chosen && pending?.action === "fork" && <ForkDialog run={run} at={chosen} onClose={close} />}
      {chosen && pending?.action === "keep" && (
        <KeepSnapshot run={run.id} snapshot={chosen} onClose={close} />
      )}
      {chosen && pending && pending.action !== "fork" && pending.action !== "keep" && (
        <ConfirmAction
          run={run}
          action={pending.action}
          snapshot={chosen}
          snapshots={snapshots}
          onClose={close}
        />
      )}
    </div>
  );
}

/** Number and size of the snapshots, and when they are taken. */
function totalText({ snapshots, bytes: taken, plan }: RunSnapshots): string {
  const planned = plan ? ` · ${planText(plan)}` : "";
  return `${plural(snapshots.length, "snapshot")} · ${bytes(taken)}${planned}`;
}

function whyNone(run: RunDetail): string {
  if (run.status === "created" || run.status === "queued") {
    return "The app takes the first snapshot when the run trains.";
  }
  return isActive(run)
    ? "No snapshot yet. The app takes snapshots automatically during training and at the end."
    : "This run has no snapshot, so it cannot continue.";
}

interface ConfirmActionProps {
  run: RunDetail;
  action: ConfirmedAction;
  snapshot: SnapshotInfo;
  snapshots: readonly SnapshotInfo[];
  onClose: () => void;
}

/** Explains an action on a snapshot and asks for confirmation. */
function ConfirmAction({ run, action, snapshot, snapshots, onClose }: ConfirmActionProps) {
  const { mutate, isPending, error } = useSnapshotAction(run.id, action, snapshot.name);
  const words = confirmationOf(action, snapshot, { snapshots, reached: run.step });
  return (
    <ConfirmDialog
      title={words.title}
      action={words.does}
      variant={action === "delete" ? "danger" : "primary"}
      busy={isPending}
      failure={error && explainAction(error)}
      onConfirm={() => mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {words.happens.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </ConfirmDialog>
  );
}

interface ChangePlanProps {
  run: RunDetail;
  plan: SnapshotPlan;
}

/** Changes when snapshots are taken and how many are kept. */
function ChangePlan({ run, plan }: ChangePlanProps) {
  const [open, setOpen] = useState(false);
  const limits = useLimits();
  return (
    <Popover
      label="When snapshots are taken"
      align="end"
      className="w-80 max-w-[calc(100vw-1.5rem)] p-3"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" icon={<SlidersHorizontal aria-hidden className="size-3.5" />}>
          When…
        </Button>
      }
    >
      {limits && <PlanForm {...{ run, plan, limits }} onDone={() => setOpen(false)} />}
    </Popover>
  );
}

interface PlanFormProps extends ChangePlanProps {
  limits: Limits;
  onDone: () => void;
}

function PlanForm({ run, plan, limits, onDone }: PlanFormProps) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => planDraft(plan, limits));
  const typed = planOf(draft, limits);
  const save = useMutation({
    mutationFn: () => changeSnapshotPlan(run.id, typed.plan),
    onSuccess: (found) => {
      client.setQueryData(keys.snapshots(run.id), found);
      onDone();
    },
  });
  const isWrong = Object.keys(typed.problems).length > 0;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) save.mutate();
      }}
    >
      <PlanFields
        draft={draft}
        problems={typed.problems}
        onChange={(change) => {
          save.reset();
          setDraft((old) => ({ ...old, ...change }));
        }}
      />
      <p className="text-xs text-ink-soft">
        {isActive(run)
          ? "The new plan takes effect at the next rollout."
          : "Snapshots beyond this number are deleted at once."}
      </p>
      {save.error && (
        <p role="alert" className="text-xs text-bad">
          {explainAction(save.error)}
        </p>
      )}
      <Button
        type="submit"
        variant="primary"
        needsService
        busy={save.isPending}
        unavailable={isWrong && MEND_FIRST}
      >
        Save
      </Button>
    </form>
  );
}

interface KeepSnapshotProps {
  run: string;
  snapshot: SnapshotInfo;
  onClose: () => void;
}

/** Gives a snapshot a name, so that it is kept, and a message. */
function KeepSnapshot({ run, snapshot, onClose }: KeepSnapshotProps) {
  const client = useQueryClient();
  const [name, setName] = useState(snapshot.is_named ? snapshot.name : "");
  const [message, setMessage] = useState(snapshot.message);
  const keep = useMutation({
    mutationFn: () => keepSnapshot(run, snapshot.name, { name: name.trim(), message }),
    onSuccess: (found) => {
      client.setQueryData(keys.snapshots(run), found);
      onClose();
    },
  });
  const text = (value: string, onType: (typed: string) => void) =>
    function Control(control: object) {
      return (
        <input
          {...control}
          autoComplete="off"
          className={controlClass}
          value={value}
          onChange={({ target }) => {
            keep.reset();
            onType(target.value);
          }}
        />
      );
    };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title={`Keep ${called(snapshot)}`}
      description="A named snapshot is kept until you delete it."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") keep.mutate();
        }}
      >
        <Field
          label="Name"
          hint="Lower-case letters, digits and hyphens, but not only digits."
          error={keep.error ? explainAction(keep.error) : undefined}
        >
          {text(name, setName)}
        </Field>
        <Field label="Message">{text(message, setMessage)}</Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            needsService
            busy={keep.isPending}
            unavailable={name.trim() === "" && "Give it a name first."}
          >
            Keep snapshot
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface TakeSnapshotProps {
  run: string;
  /** A snapshot was requested and does not exist yet. */
  busy: boolean;
  onAsked: () => void;
}

/** Takes a snapshot of a run that trains. A snapshot with a name is kept. */
function TakeSnapshot({ run, busy, onAsked }: TakeSnapshotProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Take a snapshot"
      align="end"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button
          size="sm"
          needsService
          busy={busy}
          icon={<Camera aria-hidden className="size-3.5" />}
        >
          Take a snapshot…
        </Button>
      }
    >
      <Form
        run={run}
        onDone={() => {
          setOpen(false);
          onAsked();
        }}
      />
    </Popover>
  );
}

function Form({ run, onDone }: { run: string; onDone: () => void }) {
  const limits = useLimits();
  const [name, setName] = useState("");
  const [message, setMessage] = useState("");
  const { mutate, isPending, error } = useTakeSnapshot(run);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ name: name.trim() || null, message: message.trim() }, { onSuccess: onDone });
      }}
    >
      <Field
        label="Name"
        hint="Lower-case letters, digits and hyphens, but not only digits. A named snapshot is kept until you delete it."
        error={error ? explainAction(error) : undefined}
      >
        {(control) => (
          <input
            {...control}
            value={name}
            maxLength={limits?.snapshot_name.maximum}
            placeholder="its step"
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
            className={controlClass}
          />
        )}
      </Field>
      <Field label="Message">
        {(control) => (
          <input
            {...control}
            value={message}
            maxLength={limits?.notes.maximum}
            placeholder="what it is for"
            autoComplete="off"
            onChange={(event) => setMessage(event.target.value)}
            className={controlClass}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" needsService busy={isPending}>
        Take snapshot
      </Button>
    </form>
  );
}

interface ForkAtStepProps {
  run: RunDetail;
  onFork: (step: number) => void;
}

/** Asks for the step to fork at, whether there is a snapshot of it or not. */
function ForkAtStep({ run, onFork }: ForkAtStepProps) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const first = run.parent?.step ?? 0;
  const step = parseInteger(text, { minimum: first, maximum: run.step });
  return (
    <Popover
      label="Fork at a step"
      align="end"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" icon={<GitFork aria-hidden className="size-3.5" />}>
          Fork at a step…
        </Button>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!step.ok) return;
          setOpen(false);
          onFork(step.value as number);
        }}
      >
        <Field
          label="Step"
          hint={`From ${count(first)} to ${count(run.step)}. If there is no snapshot at this step, the fork first repeats this run's training from the nearest earlier snapshot.`}
          error={text !== "" && !step.ok ? step.problem : undefined}
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.target.value)}
              className={controlClass}
            />
          )}
        </Field>
        <Button type="submit" variant="primary" needsService unavailable={!step.ok && step.problem}>
          Choose what to change…
        </Button>
      </form>
    </Popover>
  );
}
