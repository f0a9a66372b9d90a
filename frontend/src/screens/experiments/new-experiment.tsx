"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type Dispatch, type ReactNode, type SetStateAction, useEffect, useRef } from "react";
import { algorithmsQuery, environmentsQuery, limitsQuery } from "@/api/choices";
import { createExperiment, experimentEstimateQuery } from "@/api/experiments";
import { ApiError, explainAction, type FieldProblem } from "@/api/http";
import { runQuery } from "@/api/runs";
import type { Algorithm, CreateExperiment, Environment, Limits, RunDetail } from "@/api/types";
import { explorationProblems, ExplorationSection } from "@/forms/exploration";
import { RewardSection } from "@/forms/reward-plan";
import { LISTED, SeedCount } from "@/forms/seed-choice";
import { SinkDisclosure } from "@/forms/sink-choice";
import { routes } from "@/lib/routes";
import { useSettled } from "@/lib/time";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field, revealProblem } from "@/ui/field";
import { ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import { controlClass, Select } from "@/ui/select";
import { AdvancedFields } from "./advanced-fields";
import {
  algosOf,
  type ExperimentDraft,
  explorationIn,
  fieldsOf,
  FIRST,
  type Kind,
  type Offer,
  offerIn,
  placesOf,
  presetsOf,
  rewardComponentsOf,
  type VariantDraft,
  withBase,
  withPresetThatExists,
} from "./draft";
import { estimateText } from "./experiment-text";
import { explorationComparisonOf, withAndWithoutExploration } from "./exploration-comparison";
import { type Unfairness, unfairnessOf } from "./fairness";
import {
  POINTERS,
  problemAt,
  type Problems,
  problemsBelow,
  reasonAgainst,
  refusalsOf,
} from "./problems";
import {
  exploresAsPresets,
  isUntouched,
  movedDraft,
  openingDraft,
  readDraft,
  usualExploration,
} from "./specification";
import { SweepFields } from "./sweep-fields";
import { PlaceFields, TypedFields, VariantFields } from "./variant-fields";

const KINDS = [
  { value: "variants", label: "Variants" },
  { value: "grid", label: "Grid" },
  { value: "search", label: "Search" },
] as const;

interface NewExperimentProps {
  /** Id of the run to compare with and without its exploration; null: none. */
  run: string | null;
  draft: ExperimentDraft;
  onChange: Dispatch<SetStateAction<ExperimentDraft>>;
  /** Opens the form as if it were new. */
  onStartOver: () => void;
  /** Closing it loses nothing: the form opens again with the same draft. */
  onClose: () => void;
}

/** The form of a new experiment, after the choices are loaded. */
export function NewExperiment(props: NewExperimentProps) {
  const algorithms = useQuery(algorithmsQuery);
  const environments = useQuery(environmentsQuery);
  const limits = useQuery(limitsQuery);
  const run = useQuery({ ...runQuery(props.run ?? ""), enabled: props.run !== null });
  if (algorithms.data && environments.data && limits.data && (props.run === null || run.data)) {
    return (
      <Form
        algorithms={algorithms.data}
        environments={environments.data}
        limits={limits.data}
        compared={props.run === null ? null : (run.data ?? null)}
        {...props}
      />
    );
  }
  const failed = [algorithms, environments, limits, run].find(({ error }) => error);
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} title="New experiment">
      {failed?.error ? (
        <ErrorState
          error={failed.error}
          retry={() => void failed.refetch()}
          retrying={failed.isFetching}
        />
      ) : (
        <div role="status" aria-label="Loading the choices">
          <Skeleton className="h-80" />
        </div>
      )}
    </Dialog>
  );
}

interface FormProps extends Omit<NewExperimentProps, "run"> {
  /** The run to compare with and without its exploration; null: none. */
  compared: RunDetail | null;
  algorithms: readonly Algorithm[];
  environments: readonly Environment[];
  limits: Limits;
}

/** The form: what to vary, where, with how many seeds, and the cost. */
function Form(props: FormProps) {
  const { compared, algorithms, environments, limits, draft: given } = props;
  const { onChange, onStartOver, onClose } = props;
  const router = useRouter();
  const body = useRef<HTMLDivElement>(null);
  const create = useMutation({
    mutationFn: (confirm: boolean) => createExperiment({ ...specification, confirm }),
    onSuccess: ({ id }) => router.push(routes.experiment(id)),
  });
  const offerOf = (one: ExperimentDraft) => offerIn(environments, algorithms, placesOf(one));
  const comparison =
    compared?.config && explorationComparisonOf(compared.config, algorithms, environments, limits);
  const opened = (one: ExperimentDraft) =>
    one === FIRST ? (comparison ?? openingDraft(offerOf(one), one.places)) : one;
  const draft = opened(given);
  const change = (changes: Partial<ExperimentDraft>) => {
    create.reset();
    onChange((before) => ({ ...opened(before), ...changes }));
  };
  const offer = offerOf(draft);
  const fields = fieldsOf(offer, draft.base.algo);
  const { specification, problems: own } = readDraft(draft, offer, limits);
  const reason = reasonAgainst(draft, own);
  const estimate = useEstimate(specification, reason === undefined);
  const moveTo = (changes: Pick<ExperimentDraft, "kind"> | Pick<ExperimentDraft, "places">) => {
    const moved = { ...draft, ...changes };
    change(movedDraft(draft, moved, offer, offerOf(moved)));
  };
  const refused = create.error instanceof ApiError ? create.error.fields : [];
  const asksBack = refused.find(({ pointer }) => pointer === "/confirm");
  const { shown, others } = refusalsOf(draft, refused);
  const problems = new Map([...shown, ...own]);
  useEffect(() => {
    if (create.error) revealProblem(body.current);
  }, [create.error]);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New experiment"
      description={
        comparison ? (
          <>
            The settings of <b className="font-medium text-ink">{compared.name}</b>, with and
            without its exploration.
          </>
        ) : undefined
      }
      footer={
        <FormFooter
          cost={estimate ? estimateText(estimate) : ""}
          note={estimate?.length_note ?? null}
          reason={reason}
          onShow={own.size > 0 ? () => revealProblem(body.current) : null}
          refusal={
            create.error && (
              <RefusalNotice
                {...{ asksBack, others, error: create.error }}
                marked={shown.size}
                onInsist={() => create.mutate(true)}
              />
            )
          }
          asks={asksBack !== undefined}
          busy={create.isPending}
          onCancel={onClose}
          onStart={() => create.mutate(false)}
        />
      }
    >
      <div ref={body} className="flex flex-col gap-4">
        {compared && !comparison && (
          <Notice tone="warn" title="This run cannot be repeated here">
            <p>
              The service cannot train {compared.algo} on {compared.env_id}, or the configuration of{" "}
              {compared.name} cannot be read. The form shows its defaults instead.
            </p>
          </Notice>
        )}
        <div className="flex flex-wrap items-center justify-between gap-2">
          <Segmented
            legend="What to vary"
            options={KINDS}
            value={draft.kind}
            onChange={(kind) => moveTo({ kind })}
          />
          {!isUntouched(draft, offer) && (
            <Button size="sm" variant="quiet" onClick={() => (create.reset(), onStartOver())}>
              Start over
            </Button>
          )}
        </div>
        <p className="-mt-2 text-xs text-ink-faint">{HELP[draft.kind]}</p>
        <PlaceFields
          {...{ draft, environments, problems }}
          onChange={(places) => moveTo({ places })}
        />
        {draft.kind === "variants" ? (
          <VariantFields
            variants={draft.variants}
            {...{ offer, limits, problems }}
            onChange={(variants) => change({ variants })}
            onCompareExploration={() => change(withAndWithoutExploration(draft, offer, limits))}
          />
        ) : (
          <BaseFields
            base={draft.base}
            offer={offer}
            onChange={(base) => change(withBase(draft, offer, base))}
          />
        )}
        {draft.kind === "grid" && (
          <TypedFields
            legend="Every combination of"
            fields={fields}
            typed={draft.grid}
            several
            problemOf={(name) => problemAt(problems, POINTERS.grid(name))}
            onChange={(grid) => change({ grid })}
          />
        )}
        {draft.kind === "search" && (
          <SweepFields
            sweep={draft.sweep}
            fields={fields}
            problems={problems}
            onChange={(changes) => change({ sweep: { ...draft.sweep, ...changes } })}
          />
        )}
        <LengthFields {...{ draft, problems }} onChange={change} />
        <FairnessNotes found={unfairnessOf(draft, offer)} onFix={change} />
        <Field
          label="Name"
          hint="Empty: named after the variants."
          error={problemAt(problems, POINTERS.name)}
        >
          {(control) => (
            <input
              {...control}
              className={controlClass}
              autoComplete="off"
              maxLength={limits.run_name.maximum}
              value={draft.name}
              onChange={({ currentTarget: { value } }) => change({ name: value })}
            />
          )}
        </Field>
        <TrainingFields {...{ draft, offer, limits, problems }} onChange={change} />
        <AdvancedFields
          {...{ limits, problems, advanced: draft.advanced }}
          proposed={openingDraft(offer, draft.places).advanced}
          searches={draft.kind === "search"}
          onChange={(changes) => change({ advanced: { ...draft.advanced, ...changes } })}
        />
        <SinkDisclosure
          className={SECTION}
          chosen={draft.sinks}
          onChange={(sinks) => change({ sinks })}
        />
      </div>
    </Dialog>
  );
}

const SECTION = "rounded-md border border-line px-3 py-1";

interface TrainingFieldsProps {
  draft: ExperimentDraft;
  offer: Offer;
  limits: Limits;
  problems: Problems;
  onChange: (changes: Partial<ExperimentDraft>) => void;
}

/** Exploration and weights of the reward, for all runs that have none of their own. */
function TrainingFields({ draft, offer, limits, problems, onChange }: TrainingFieldsProps) {
  const own = problemsBelow(problems, POINTERS.base);
  const exploration = draft.exploration ?? usualExploration(draft, offer, limits);
  return (
    <>
      <ExplorationSection
        className={SECTION}
        limits={limits}
        startsOpen={false}
        summary={exploresAsPresets(draft, offer) ? "As the presets set it" : undefined}
        draft={exploration}
        choices={explorationIn(offer, algosOf(draft))}
        problems={explorationProblems(own)}
        onChange={(changes) => onChange({ exploration: { ...exploration, ...changes } })}
      />
      <RewardSection
        className={SECTION}
        limits={limits}
        startsOpen={false}
        components={rewardComponentsOf(offer)}
        draft={draft.reward}
        problems={own}
        onChange={(reward) => onChange({ reward })}
      />
    </>
  );
}

const HELP: Record<Kind, string> = {
  variants: "Each line is trained with the same seeds, and compared.",
  grid: "Every combination of the values is trained with the same seeds, and compared.",
  search: "Optuna proposes the values of each trial from the results of earlier ones.",
};

interface BaseFieldsProps {
  base: VariantDraft;
  offer: Offer;
  onChange: (base: VariantDraft) => void;
}

/** The algorithm and the preset that a grid or a search varies. */
function BaseFields({ base, offer, onChange }: BaseFieldsProps) {
  const change = (changes: Partial<VariantDraft>) =>
    onChange(withPresetThatExists(offer, { ...base, ...changes }));
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field label="Algorithm">
        {(control) => (
          <Select
            {...control}
            value={base.algo}
            onChange={(event) => change({ algo: event.currentTarget.value })}
          >
            {offer.algorithms.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Preset">
        {(control) => (
          <Select
            {...control}
            value={base.preset}
            onChange={(event) => change({ preset: event.currentTarget.value })}
          >
            {presetsOf(offer, base.algo).map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
            <option value="">Defaults</option>
          </Select>
        )}
      </Field>
    </div>
  );
}

interface FormFooterProps {
  /** How much would be trained. */
  cost: string;
  /** Why the total differs from the requested one; null: it does not. */
  note: string | null;
  /** Why it cannot be started; undefined: it can. */
  reason: string | undefined;
  /** Moves to the field with the problem; null: the problem has no field. */
  onShow: (() => void) | null;
  /** Why it was not started, or a question that the user must answer first. */
  refusal: ReactNode;
  /** Whether `refusal` is such a question. */
  asks: boolean;
  busy: boolean;
  onCancel: () => void;
  onStart: () => void;
}

/**
 * The bar below the form, which is always visible: the cost, or why it cannot be started, and the result of starting
 * it.
 */
function FormFooter(props: FormFooterProps) {
  const { cost, note, reason, onShow, refusal, asks, busy, onCancel, onStart } = props;
  return (
    <>
      {refusal && <div className="max-h-[40dvh] basis-full overflow-y-auto">{refusal}</div>}
      <div className="flex min-w-0 grow basis-32 flex-wrap items-center gap-x-1 text-xs text-ink-soft">
        <span className="tabular-nums" role="status">
          {reason ?? cost}
          {!reason && note && <span className="block text-2xs">{note}</span>}
        </span>
        {reason && onShow && (
          <Button variant="quiet" size="sm" className="max-md:h-10" onClick={onShow}>
            Show it
          </Button>
        )}
      </div>
      <div className="flex gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          variant="primary"
          needsService
          busy={busy}
          unavailable={reason ?? (asks && "Confirm the question above first.")}
          onClick={onStart}
        >
          Start
        </Button>
      </div>
    </>
  );
}

interface LengthFieldsProps {
  draft: ExperimentDraft;
  problems: Problems;
  onChange: (changes: Partial<ExperimentDraft>) => void;
}

/** With how many seeds, or which, and for how many steps; a search says its seeds itself. */
function LengthFields({ draft, problems, onChange }: LengthFieldsProps) {
  const { kind, seeds, seed, steps } = draft;
  return (
    <div className="grid grid-cols-2 gap-3">
      {kind !== "search" && (
        <SeedCount
          label="Seeds of each"
          hint={seeds === 1 ? "One seed proves nothing." : "More seeds give narrower intervals."}
          value={seeds}
          onChange={(choice) => onChange({ seeds: choice })}
        />
      )}
      <Field
        label="Steps of each run"
        hint="Empty: the preset's."
        error={problemAt(problems, POINTERS.steps)}
      >
        {(control) => (
          <input
            {...control}
            className={controlClass}
            inputMode="numeric"
            autoComplete="off"
            placeholder="preset"
            value={steps}
            onChange={(event) => onChange({ steps: event.currentTarget.value })}
          />
        )}
      </Field>
      {kind !== "search" && seeds === LISTED && (
        <Field
          label="Seeds"
          hint="As in 1, 2, 3."
          className="col-span-2"
          error={problemAt(problems, POINTERS.seeds)}
        >
          {(control) => (
            <input
              {...control}
              className={controlClass}
              autoComplete="off"
              placeholder="1, 2, 3"
              value={seed}
              onChange={(event) => onChange({ seed: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}

interface RefusalNoticeProps {
  error: Error;
  /** Set if the experiment is so large that the service needs a confirmation. */
  asksBack: FieldProblem | undefined;
  /** Number of fields of the form with a problem. */
  marked: number;
  /** Problems that belong to no field. */
  others: readonly FieldProblem[];
  /** Starts after a confirmation. */
  onInsist: () => void;
}

/** Why an experiment was not started. */
function RefusalNotice({ error, asksBack, marked, others, onInsist }: RefusalNoticeProps) {
  if (asksBack) {
    return (
      <Notice tone="warn" role="alert" title="This is a lot of computing">
        <p>{asksBack.detail}</p>
        <Button size="sm" className="mt-2 max-md:h-10" needsService onClick={onInsist}>
          Start anyway
        </Button>
      </Notice>
    );
  }
  return (
    <Notice tone="bad" role="alert" title="The experiment was not started">
      {marked > 0 && (
        <p>The marked {marked === 1 ? "field has an error" : "fields have errors"}.</p>
      )}
      {others.map(({ pointer, detail }) => (
        <p key={pointer}>{detail}</p>
      ))}
      {marked === 0 && others.length === 0 && <p>{explainAction(error)}</p>}
    </Notice>
  );
}

interface FairnessNotesProps {
  found: readonly Unfairness[];
  onFix: (changes: Partial<ExperimentDraft>) => void;
}

/** What makes the comparison unfair, each with a button that fixes it. */
function FairnessNotes({ found, onFix }: FairnessNotesProps) {
  if (found.length === 0) return null;
  return (
    <Notice tone="warn" title="Not quite a fair comparison">
      <ul className="mt-1 flex flex-col gap-2">
        {found.map(({ says, mend, changes }) => (
          <li key={says} className="flex flex-col items-start gap-1.5">
            <span className="break-words">{says}</span>
            <Button size="sm" onClick={() => onFix(changes)}>
              {mend}
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Milliseconds without a change of the form after which the service is asked for an estimate. */
const ESTIMATE_MS = 250;

/** The service's estimate for a specification; undefined until loaded. */
function useEstimate(specification: CreateExperiment, isValid: boolean) {
  const settled = useSettled(JSON.stringify(specification), ESTIMATE_MS);
  const { data } = useQuery({
    ...experimentEstimateQuery(JSON.parse(settled) as CreateExperiment),
    enabled: isValid,
  });
  return data;
}
