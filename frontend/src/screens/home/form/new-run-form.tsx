"use client";

import { Dices, Play, TriangleAlert } from "lucide-react";
import { type FormEvent, type ReactNode, useReducer, useRef, useState } from "react";
import { pointerTo } from "@/api/http";
import { learns } from "@/api/run-availability";
import {
  type ExplorationDraft,
  explorationProblems,
  ExplorationSection,
} from "@/forms/exploration";
import { RewardSection } from "@/forms/reward-plan";
import { SchemaField } from "@/forms/schema-field";
import { LISTED, SeedCount, seedsWanted } from "@/forms/seed-choice";
import { SinkDisclosure } from "@/forms/sink-choice";
import { planDraft, PlanFields, planOf, planText } from "@/forms/snapshot-plan";
import { plural } from "@/lib/number";
import { createKeptStore } from "@/lib/store";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { Field, revealProblem } from "@/ui/field";
import { Notice } from "@/ui/notice";
import { controlClass, Select } from "@/ui/select";
import { Switch } from "@/ui/switch";
import { useCreateRun } from "../create-run";
import { AlgorithmField, EnvironmentField } from "./choice-fields";
import {
  algorithmOf,
  anatomyOf,
  changedFields,
  changeDraft,
  type Choices,
  type Draft,
  type DraftChange,
  environmentOf,
  type EvaluationDraft,
  evaluationOf,
  explorationDraftOf,
  type FieldsProps,
  type Part,
  presetOf,
  presetsOf,
  replacedAlgorithmNote,
  schemasOf,
  untouched,
  usualExploration,
} from "./draft";
import { clearDraft, isUnedited, saveDraft } from "./draft-storage";
import { failedMeasurement } from "./expectation";
import { LengthField } from "./length-field";
import { MemoryNote } from "./memory-note";
import { PresetField } from "./preset-field";
import { RuleFields } from "./rule-fields";
import {
  explorationChoices,
  planProblems,
  POINTERS,
  type Problems,
  problemsAfter,
  problemsByPointer,
  submission,
  unplaced,
} from "./submit";

const SECTION = "px-5 py-3 max-md:px-4";

interface NewRunFormProps {
  choices: Choices;
  first: Draft;
}

export function NewRunForm({ choices, first }: NewRunFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [draft, change] = useReducer(
    (old: Draft, next: DraftChange) => changeDraft(choices, old, next),
    first,
  );
  const [refused, setRefused] = useState<Problems>({});
  const create = useCreateRun();
  const { body, seeds, problems: own } = submission(choices, draft);
  const problems = { ...refused, ...own };
  const wanted = seedsWanted(draft);

  const edit = (next: DraftChange) => {
    change(next);
    setRefused((old) => problemsAfter(old, next));
    saveDraft(window.sessionStorage, choices, changeDraft(choices, draft, next));
  };
  /** After the next render, when the fields show what is wrong with them. */
  const focusFirstProblem = () => requestAnimationFrame(() => revealProblem(form.current));
  const send = (start: boolean) => {
    if (create.isPending || create.isSuccess) return;
    create.reset();
    setRefused({});
    if (Object.keys(own).length > 0) return focusFirstProblem();
    create.mutate(
      { body: { ...body, start }, seeds, count: wanted },
      {
        onSuccess: () => clearDraft(window.sessionStorage),
        onError: (error) => {
          setRefused(problemsByPointer(error.fields));
          focusFirstProblem();
        },
      },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(true);
  };

  const others = unplaced(refused, choices, draft);
  const unexplained = create.error && (others.length > 0 || create.error.fields.length === 0);
  const fields = { choices, draft, edit, problems };
  const busy = create.isPending || create.isSuccess;
  const chosen = algorithmOf(choices, draft);
  const trains = !chosen || learns(chosen);
  return (
    <form
      ref={form}
      onSubmit={submit}
      noValidate
      aria-label="New run"
      className="flex grow flex-col divide-y divide-line"
    >
      <Section
        title="What to train"
        aside={
          !isUnedited(choices, draft) && (
            <Button
              size="sm"
              variant="quiet"
              className="-my-1.5"
              onClick={() => edit({ field: "start-over" })}
            >
              Start over
            </Button>
          )
        }
      >
        <EnvironmentField {...fields} />
        <AlgorithmField {...fields} />
        <p role="status" className="text-xs text-warn empty:hidden">
          {replacedAlgorithmNote(choices, draft)}
        </p>
      </Section>
      {presetsOf(choices, draft).length > 0 && (
        <Section title="Preset">
          <PresetField {...fields} />
        </Section>
      )}
      <MoreFields {...fields} trains={trains} />
      <div className="sticky bottom-0 z-1 mt-auto flex flex-col gap-2 bg-surface px-5 py-3 max-md:px-4 max-md:pb-[calc(0.75rem+env(safe-area-inset-bottom))]">
        {unexplained && (
          <Notice tone="bad" role="alert" title={create.error.title}>
            <p>{others.length > 0 ? others.join(" · ") : create.error.detail}</p>
          </Notice>
        )}
        <FailedMeasurement {...fields} />
        <MemoryNote {...fields} body={body} />
        <div className="flex items-center gap-2">
          <RunSummary choices={choices} draft={draft} problems={problems} />
          <Button
            size="lg"
            variant="quiet"
            className="ml-auto max-sm:hidden"
            onClick={() => send(false)}
          >
            Create only
          </Button>
          <Button
            type="submit"
            needsService
            variant="primary"
            size="lg"
            busy={busy}
            className="max-sm:grow"
            icon={<Play aria-hidden className="size-4" />}
          >
            {trains ? "Start training" : "Start"}
            {wanted > 1 && ` × ${wanted}`}
          </Button>
        </div>
      </div>
    </form>
  );
}

/** Whether the fields below More were open when the form was last left. */
const moreOpen = createKeptStore<boolean>("rlviz-new-run-more", false, (kept) =>
  typeof kept === "boolean" ? kept : null,
);

/** Fields above *More*, by the pointer of their problems. */
const ABOVE: readonly string[] = [POINTERS.env, POINTERS.algo, POINTERS.preset];

/** Everything that has a good value already: length, seeds, name, evaluation, values, snapshots, rules, sinks. */
function MoreFields({ trains, ...fields }: FieldsProps & { trains: boolean }) {
  const { choices, draft, problems } = fields;
  const edits = editsBelowMore(choices, draft);
  const [opened, setOpened] = useState(() => edits > 0 || moreOpen.get());
  const invalid = Object.keys(problems).some((pointer) => !ABOVE.includes(pointer));
  return (
    <Disclosure
      className="[&>summary]:mx-5 [&>summary]:my-3 max-md:[&>summary]:mx-4"
      open={opened || invalid}
      onToggle={(open) => {
        if (open !== opened) moreOpen.set(open);
        setOpened(open);
      }}
      summary={<span className="font-semibold">More</span>}
      aside={
        edits > 0 ? (
          <Badge tone="warn">{edits} changed</Badge>
        ) : (
          <span className="min-w-0 truncate text-xs font-normal text-ink-faint">
            {trains
              ? "Length, seeds, name, evaluation, hyperparameters, exploration, reward, rules"
              : "Length, seeds, name"}
          </span>
        )
      }
    >
      <div className="flex flex-col divide-y divide-line border-t border-line">
        <Section title="This run">
          <LengthField {...fields} />
          <div className="grid gap-3 sm:grid-cols-[11rem_7rem_minmax(0,1fr)]">
            <SeedField {...fields} />
            <SeedCount
              label="Number of seeds"
              hint={seedHint(draft)}
              value={draft.seeds}
              onChange={(value) => fields.edit({ field: "seeds", value })}
            />
            <NameField {...fields} />
          </div>
          {trains && <EvaluationFields {...fields} />}
        </Section>
        {(environmentOf(choices, draft)?.options.length ?? 0) > 0 && (
          <Section title="Environment options">
            <SchemaFields {...fields} part="env_options" owner="default" />
          </Section>
        )}
        {trains && <HyperparameterFields {...fields} />}
        {trains && <ExplorationPart {...fields} />}
        {trains && <RewardPart {...fields} />}
        {trains && <SnapshotFields {...fields} />}
        <RuleFields {...fields} />
        <SinkFields {...fields} />
      </div>
    </Disclosure>
  );
}

/** How many of the fields below More differ from what the form begins with. */
function editsBelowMore(choices: Choices, draft: Draft): number {
  const others = [
    draft.timesteps !== null,
    draft.seed.trim() !== "",
    draft.seeds !== 1,
    draft.name.trim() !== "",
    draft.evaluation !== null,
    draft.anatomy !== null,
    draft.exploration !== null,
    draft.reward !== null,
    draft.snapshots !== null,
    draft.rules.length > 0,
    draft.sinks.length > 0,
  ].filter(Boolean).length;
  const values = (["hyperparameters", "env_options"] as const).map(
    (part) => changedFields(choices, draft, part).length,
  );
  return values.reduce((sum, count) => sum + count, others);
}

/** Says before Start that the preset failed its measurement, and offers what passed it. */
function FailedMeasurement({ choices, draft, edit }: FieldsProps) {
  const environment = environmentOf(choices, draft);
  const preset = presetOf(choices, draft);
  const problem = failedMeasurement(preset, environment?.reward_threshold ?? null);
  if (problem === null || changedFields(choices, draft, "hyperparameters").length > 0) return null;
  const better = presetsOf(choices, draft).find(({ works }) => works === true);
  const other = choices.algorithms.find(
    ({ id }) =>
      id !== draft.algo &&
      id === environment?.recommended_algorithm &&
      environment.presets[id]?.some(({ works }) => works === true),
  );
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-2 rounded-md bg-warn-tint px-3 py-1 text-xs text-warn"
    >
      <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
      <p className="min-w-0 grow">{problem}</p>
      {better ? (
        <Button
          size="sm"
          variant="quiet"
          onClick={() => edit({ field: "preset", value: better.id })}
        >
          Use {better.title}
        </Button>
      ) : (
        other && (
          <Button
            size="sm"
            variant="quiet"
            onClick={() => edit({ field: "algo", value: other.id })}
          >
            Use {other.name}
          </Button>
        )
      )}
    </div>
  );
}

function seedHint(draft: Draft): string {
  return draft.seeds === LISTED || seedsWanted(draft) > 1 ? "One run per seed" : "One run";
}

interface SectionProps {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

/** A titled section of the form. */
function Section({ title, aside, children }: SectionProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-3 px-5 py-4 max-md:px-4">
      <div className="flex min-h-5 items-baseline justify-between gap-3">
        <h3 className="text-sm font-semibold">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  );
}

function NameField({ choices, draft, edit, problems }: FieldsProps) {
  const own = `${algorithmOf(choices, draft)?.name ?? ""} on ${environmentOf(choices, draft)?.name ?? ""}`;
  return (
    <Field label="Name" hint="Can be changed later" error={problems[POINTERS.name]}>
      {(control) => (
        <input
          {...control}
          autoComplete="off"
          maxLength={choices.limits.run_name.maximum}
          placeholder={own}
          className={controlClass}
          value={draft.name}
          onChange={(event) => edit({ field: "name", value: event.target.value })}
        />
      )}
    </Field>
  );
}

interface RunSummaryProps {
  choices: Choices;
  draft: Draft;
  problems: Problems;
}

/** The run that would be created in one line, or why it cannot be created. */
function RunSummary({ choices, draft, problems }: RunSummaryProps) {
  const bad = Object.keys(problems).length;
  const changed = editsBelowMore(choices, draft);
  const facts = [
    `${algorithmOf(choices, draft)?.name} on ${environmentOf(choices, draft)?.name}`,
    presetOf(choices, draft)?.title,
    changed > 0 && plural(changed, "change"),
  ];
  return (
    <p role="status" className="min-w-0 truncate text-xs text-ink-soft max-sm:sr-only">
      {bad > 0 ? (
        <span className="text-bad">{plural(bad, "field")} to correct</span>
      ) : (
        facts.filter(Boolean).join(" · ")
      )}
    </p>
  );
}

/** Random seeds are below this: short enough to read out, and enough of them that they rarely repeat. */
const DRAWN = 10_000;

function SeedField({ choices, draft, edit, problems }: FieldsProps) {
  const most = algorithmOf(choices, draft)?.seed.maximum ?? DRAWN;
  const draw = () =>
    edit({ field: "seed", value: String(Math.floor(Math.random() * Math.min(DRAWN, most))) });
  const listed = draft.seeds === LISTED;
  return (
    <Field
      label={listed ? "Seeds" : "Seed"}
      hint={listed ? "For example 1, 2, 3" : "Empty: a random one"}
      error={problems[POINTERS.seed]}
    >
      {(control) => (
        <div className="flex gap-1.5">
          <input
            {...control}
            inputMode={listed ? "text" : "numeric"}
            autoComplete="off"
            placeholder={listed ? "1, 2, 3" : "random"}
            className={controlClass}
            value={draft.seed}
            onChange={(event) => edit({ field: "seed", value: event.target.value })}
          />
          {!listed && (
            <Button aria-label="Draw a seed" title="Draw a seed" className="px-2!" onClick={draw}>
              <Dices aria-hidden className="size-4" />
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}

/** Other programs that receive the run's data during training. They can be changed on its page at any time. */
function SinkFields({ draft, edit }: FieldsProps) {
  return (
    <SinkDisclosure
      className={SECTION}
      chosen={draft.sinks}
      onChange={(value) => edit({ field: "sinks", value })}
    />
  );
}

/** Rewards that training adds for exploration, and the map. Switches that differ from the preset's are marked. */
function ExplorationPart({ choices, draft, edit, problems }: FieldsProps) {
  const plan = explorationDraftOf(choices, draft);
  const usual = usualExploration(choices, draft);
  const preset = presetOf(choices, draft);
  const change = (next: ExplorationDraft) => {
    const same = JSON.stringify(next) === JSON.stringify(usual);
    edit({ field: "exploration", value: same ? null : next });
  };
  return (
    <ExplorationSection
      className={SECTION}
      limits={choices.limits}
      startsOpen={draft.exploration !== null}
      draft={plan}
      choices={explorationChoices(choices, draft)}
      preset={preset?.exploration ? { title: preset.title, draft: usual } : undefined}
      problems={explorationProblems(problems)}
      onReset={() => change(usual)}
      onChange={(changes) => change({ ...plan, ...changes })}
    />
  );
}

/** Weights and caps of the components of the reward. */
function RewardPart({ choices, draft, edit, problems }: FieldsProps) {
  return (
    <RewardSection
      className={SECTION}
      limits={choices.limits}
      startsOpen={draft.reward !== null}
      components={environmentOf(choices, draft)?.reward_components ?? []}
      draft={draft.reward ?? {}}
      problems={problems}
      onChange={(value) => edit({ field: "reward", value })}
    />
  );
}

/** When snapshots are taken. It can be changed on the run's page at any time. */
function SnapshotFields({ choices: { limits }, draft, edit, problems }: FieldsProps) {
  const [opened, setOpened] = useState(draft.snapshots !== null);
  const own = planProblems(problems);
  const plan = draft.snapshots ?? planDraft(null, limits);
  return (
    <Disclosure
      className={SECTION}
      open={opened || Object.keys(own).length > 0}
      onToggle={setOpened}
      summary={<span className="font-semibold">Snapshots</span>}
      aside={
        <span className="min-w-0 truncate text-xs font-normal text-ink-faint">
          {planText(planOf(plan, limits).plan)}
        </span>
      }
    >
      <div className="flex flex-col gap-3 pt-3 pb-2 pl-2.5">
        <p className="text-xs text-ink-soft">
          A snapshot holds the complete state of training. A run can be resumed, rolled back and
          forked from it. One is also taken at a pause, at each best policy and at the end.
        </p>
        <PlanFields
          draft={plan}
          problems={own}
          onChange={(change) => edit({ field: "snapshots", value: { ...plan, ...change } })}
        />
      </div>
    </Disclosure>
  );
}

/** Fields for evaluation during training, for early stopping, and for the anatomy of updates. */
function EvaluationFields({ choices, draft, edit, problems }: FieldsProps) {
  const evaluation = evaluationOf(choices, draft);
  const solvable = environmentOf(choices, draft)?.reward_threshold != null;
  const change = (value: Partial<EvaluationDraft>) => edit({ field: "evaluation", value });
  const number = (field: "every" | "episodes" | "stopAfter", label: string, hint: string) => (
    <Field label={label} hint={hint} error={problems[POINTERS[field]]}>
      {(control) => (
        <input
          {...control}
          inputMode="numeric"
          autoComplete="off"
          className={controlClass}
          value={evaluation[field]}
          onChange={({ target }) => change({ [field]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label="Evaluate while training, and keep the best policy"
        checked={evaluation.on}
        onChange={(on) => change({ on })}
      />
      {evaluation.on && (
        <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-3">
          {number("every", "Every", "Environment steps")}
          {number("episodes", "Episodes", "Played each time")}
          <Field
            label="Actions"
            hint={
              evaluation.sampled
                ? "Drawn from the policy, as in training"
                : "Always the action the policy prefers"
            }
          >
            {(control) => (
              <Select
                {...control}
                value={evaluation.sampled ? "sampled" : "greedy"}
                onChange={({ target }) => change({ sampled: target.value === "sampled" })}
              >
                <option value="greedy">Greedy</option>
                <option value="sampled">Sampled</option>
              </Select>
            )}
          </Field>
          {solvable && (
            <div className="flex flex-col gap-2 max-sm:col-span-2">
              <Switch
                label="Stop when solved"
                checked={evaluation.stops}
                onChange={(stops) => change({ stops })}
              />
              {evaluation.stops && number("stopAfter", "In a row", "Solved evaluations needed")}
            </div>
          )}
        </div>
      )}
      <Switch
        label="Record update details: advantages, gradients, weights"
        checked={anatomyOf(choices, draft)}
        onChange={(value) => edit({ field: "anatomy", value })}
      />
    </div>
  );
}

/**
 * A field for every hyperparameter, made from the service's schema. Values that differ from the preset's are
 * marked.
 */
function HyperparameterFields(props: FieldsProps) {
  const { choices, draft, edit, problems } = props;
  const [opened, setOpened] = useState(false);
  const preset = presetOf(choices, draft);
  const schemas = schemasOf(choices, draft, "hyperparameters");
  const groups = [...new Set(schemas.map(groupOf))];
  const changed = changedFields(choices, draft, "hyperparameters").length;
  const invalid = Object.keys(problems).some((pointer) => pointer.startsWith("/hyperparameters/"));
  return (
    <Disclosure
      className={SECTION}
      open={opened || invalid}
      onToggle={setOpened}
      summary={<span className="font-semibold">Hyperparameters</span>}
      aside={
        changed > 0 ? (
          <Badge tone="warn">{changed} changed</Badge>
        ) : (
          <span className="text-xs font-normal text-ink-faint">
            {schemas.length} as in {preset?.title}
          </span>
        )
      }
    >
      <div className="flex flex-col gap-4 pt-3 pb-2 pl-2.5">
        {changed > 0 && (
          <div className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-warn-tint px-3 py-1.5 text-xs text-warn">
            Marked fields differ from {preset?.title}.
            <Button
              size="sm"
              variant="quiet"
              onClick={() => edit({ field: "reset", part: "hyperparameters" })}
            >
              Reset all
            </Button>
          </div>
        )}
        {groups.map((group) => (
          <div key={group} className="flex flex-col gap-2.5">
            {group !== "" && groups.length > 1 && (
              <h4 className="text-xs font-semibold text-ink-soft">{sentence(group)}</h4>
            )}
            <SchemaFields {...props} part="hyperparameters" group={group} owner="preset" />
          </div>
        ))}
      </div>
    </Disclosure>
  );
}

function sentence(text: string): string {
  const words = text.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface SchemaFieldsProps extends FieldsProps {
  part: Part;
  /** Shows only fields of this group; all fields without it. */
  group?: string;
  owner: string;
}

/** The fields of one part of the configuration, made from the service's schemas. */
function SchemaFields(props: SchemaFieldsProps) {
  const { choices, draft, edit, problems, part, group, owner } = props;
  const schemas = schemasOf(choices, draft, part).filter(
    (schema) => group === undefined || groupOf(schema) === group,
  );
  return (
    <div className="grid gap-x-6 gap-y-3.5 sm:grid-cols-2">
      {schemas.map((schema) => (
        <SchemaField
          key={schema.name}
          schema={schema}
          typed={draft[part][schema.name]}
          own={untouched(choices, draft, part, schema)}
          owner={owner}
          error={problems[pointerTo(part, schema.name)]}
          onChange={(value) => edit({ field: part, name: schema.name, value })}
        />
      ))}
    </div>
  );
}

function groupOf({ group }: { group?: string }): string {
  return group ?? "";
}
