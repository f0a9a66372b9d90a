"use client";

import clsx from "clsx";
import {
  ArrowDown,
  ArrowUp,
  Bell,
  Camera,
  CirclePause,
  CircleStop,
  FlaskConical,
  History,
  type LucideIcon,
  PencilLine,
  Plus,
  SlidersHorizontal,
  Trash2,
  X,
} from "lucide-react";
import type { ReactNode } from "react";
import type { FieldProblem } from "@/api/http";
import type { DryRun, Rule } from "@/api/types";
import { count, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@/ui/menu";
import { controlClass, Select } from "@/ui/select";
import {
  ACTIONS,
  actionsOf,
  type Clause,
  concerns,
  CONDITIONS,
  draftOf,
  type Phrase,
  phraseOf,
  rephrased,
  type RuleDraft,
  type Slot,
  templatesFor,
  type Vocabulary,
  type Warning,
  warningsOf,
  written,
} from "./draft";

interface RuleListProps {
  drafts: readonly RuleDraft[];
  vocabulary: Vocabulary;
  /** Of the environment; null without one. */
  threshold: number | null;
  /** By JSON pointer of the request. */
  problems: readonly FieldProblem[];
  onChange: (drafts: readonly RuleDraft[]) => void;
  /** Beside the button that adds a rule. */
  children?: ReactNode;
}

/** Rules as sentences. The user can add, move, change and remove them. */
export function RuleList(props: RuleListProps) {
  const { drafts, vocabulary, threshold, problems, onChange, children } = props;
  const warnings = problems.length === 0 ? warningsOf(written(drafts).rules) : [];
  const add = (rule: Rule) => onChange([...drafts, draftOf(rule)]);
  return (
    <>
      {drafts.length === 0 ? (
        <p className="pb-3 text-sm text-ink-soft">
          A rule acts on the run automatically when its condition is true, even while the app is
          closed.
        </p>
      ) : (
        <ol aria-label="Rules" className="-mt-3 divide-y divide-line">
          {drafts.map((draft, index) => (
            <RuleItem
              key={draft.key}
              {...{ draft, index, vocabulary }}
              isLast={index === drafts.length - 1}
              problems={problems.filter(({ pointer }) => isAt(pointer, `/rules/${index}`))}
              warnings={warnings.filter(({ rule }) => rule === index)}
              onChange={(changed) => onChange(drafts.with(index, changed))}
              onMove={(by) => onChange(drafts.toSpliced(index, 1).toSpliced(index + by, 0, draft))}
              onRemove={() => onChange(drafts.toSpliced(index, 1))}
            />
          ))}
        </ol>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Menu
          align="start"
          trigger={
            <Button size="sm" icon={<Plus aria-hidden className="size-3.5" />}>
              Add a rule
            </Button>
          }
        >
          {templatesFor(threshold, vocabulary).map(({ title, rule }) => (
            <MenuItem key={title} icon={iconOf(rule)} onSelect={() => add(rule)}>
              {title}
            </MenuItem>
          ))}
          <MenuSeparator />
          <MenuItem icon={<PencilLine />} onSelect={() => add(ofYourOwn(vocabulary))}>
            A rule of your own
          </MenuItem>
        </Menu>
        {children}
      </div>
    </>
  );
}

const DOES: Record<Rule["do"][number]["kind"], LucideIcon> = {
  stop: CircleStop,
  pause: CirclePause,
  roll_back: History,
  snapshot: Camera,
  evaluate: FlaskConical,
  set_knob: SlidersHorizontal,
  scale_knob: SlidersHorizontal,
  notify: Bell,
};

/** Describes the first action of a rule. */
function iconOf({ do: [first] }: Rule) {
  const Icon = DOES[first?.kind ?? "notify"];
  return <Icon />;
}

/** A template that users can adapt. */
function ofYourOwn({ metrics }: Vocabulary): Rule {
  const metric = metrics[0]?.metrics[0]?.name ?? "";
  return {
    when: { kind: "metric", metric, side: "above", value: 0, rows: 3 },
    do: [{ kind: "notify", message: "" }],
    at_most: 10,
  };
}

function isAt(pointer: string, at: string): boolean {
  return pointer === at || pointer.startsWith(`${at}/`);
}

/** Maximum number of actions of one rule. */
const MOST_ACTIONS = 5;

interface RuleItemProps {
  draft: RuleDraft;
  /** From 0. */
  index: number;
  isLast: boolean;
  vocabulary: Vocabulary;
  /** The problems of this rule. */
  problems: readonly FieldProblem[];
  warnings: readonly Warning[];
  onChange: (draft: RuleDraft) => void;
  /** By how many places. */
  onMove: (by: number) => void;
  onRemove: () => void;
}

/** One rule as a sentence. */
function RuleItem(props: RuleItemProps) {
  const { draft, index, isLast, vocabulary, problems, warnings } = props;
  const { onChange, onMove, onRemove } = props;
  const phrases = actionsOf(vocabulary);
  const at = `/rules/${index}`;
  const name = `rule ${index + 1}`;
  const replaceAction = (place: number, ...by: Clause[]) =>
    onChange({ ...draft, do: draft.do.toSpliced(place, 1, ...by) });
  return (
    <li aria-label={`Rule ${index + 1}`} className="flex gap-3 py-3">
      <div className="min-w-0 grow text-sm">
        <Line lead="When">
          <ClauseFields
            {...{
              clause: draft.when,
              phrases: CONDITIONS,
              known: CONDITIONS,
              vocabulary,
              problems,
            }}
            label="Condition"
            at={`${at}/when`}
            onChange={(when) => onChange({ ...draft, when })}
          />
        </Line>
        {draft.do.map((clause, place) => (
          // Two actions of a rule may be the same, so only their place tells them apart.
          <Line key={place} lead={place === 0 ? "→" : "and"}>
            <ClauseFields
              {...{ clause, phrases, known: ACTIONS, vocabulary, problems }}
              label={`Action ${place + 1}`}
              at={`${at}/do/${place}`}
              onChange={(changed) => replaceAction(place, changed)}
            />
            {draft.do.length > 1 && (
              <IconButton label={`Remove action ${place + 1}`} onClick={() => replaceAction(place)}>
                <X aria-hidden className="size-3.5" />
              </IconButton>
            )}
          </Line>
        ))}
        <Line lead="" faint>
          at most
          <input
            aria-label="Firings at most"
            aria-invalid={problems.some(({ pointer }) => pointer === `${at}/at_most`) || undefined}
            inputMode="numeric"
            autoComplete="off"
            value={draft.atMost}
            className={`${controlClass} !w-16`}
            onChange={({ target }) => onChange({ ...draft, atMost: target.value })}
          />
          {draft.atMost.trim() === "1" ? "time" : "times"}
          {draft.do.length < MOST_ACTIONS && (
            <Button
              size="sm"
              variant="quiet"
              icon={<Plus aria-hidden className="size-3.5" />}
              onClick={() =>
                onChange({ ...draft, do: [...draft.do, rephrased(phrases[0]!, {}, vocabulary)] })
              }
            >
              Another action
            </Button>
          )}
        </Line>
        {problems.map(({ pointer, detail }) => (
          <p key={pointer} role="alert" className="mt-1 pl-12 text-xs text-bad">
            {detail}
          </p>
        ))}
        {warnings.map(({ detail }) => (
          <p key={detail} role="status" className="mt-1 pl-12 text-xs text-warn">
            {detail}
          </p>
        ))}
      </div>
      <div className="flex shrink-0 gap-0.5 max-sm:flex-col">
        <IconButton label={`Move ${name} up`} disabled={index === 0} onClick={() => onMove(-1)}>
          <ArrowUp aria-hidden className="size-3.5" />
        </IconButton>
        <IconButton label={`Move ${name} down`} disabled={isLast} onClick={() => onMove(1)}>
          <ArrowDown aria-hidden className="size-3.5" />
        </IconButton>
        <IconButton label={`Remove ${name}`} onClick={onRemove}>
          <Trash2 aria-hidden className="size-3.5" />
        </IconButton>
      </div>
    </li>
  );
}

interface LineProps {
  lead: string;
  faint?: boolean;
  children: ReactNode;
}

function Line({ lead, faint, children }: LineProps) {
  return (
    <div className={clsx("mt-1.5 flex gap-2 first:mt-0", faint && "text-xs text-ink-soft")}>
      <span className="w-10 shrink-0 pt-1.5 text-right text-sm font-medium text-ink-soft max-md:pt-2.5">
        {lead}
      </span>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1.5">{children}</div>
    </div>
  );
}

interface IconButtonProps {
  label: string;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function IconButton({ label, disabled, onClick, children }: IconButtonProps) {
  return (
    <Button
      size="sm"
      variant="quiet"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
      icon={children}
    />
  );
}

interface ClauseFieldsProps {
  clause: Clause;
  /** What can be chosen. */
  phrases: readonly Phrase[];
  /** All options. */
  known: readonly Phrase[];
  vocabulary: Vocabulary;
  /** Accessible name of the choice of a phrase. */
  label: string;
  /** JSON pointer of the clause, and the problems of its rule. */
  at: string;
  problems: readonly FieldProblem[];
  onChange: (clause: Clause) => void;
}

/** A condition or an action as a part of a sentence, with selects and inputs in it. */
function ClauseFields(props: ClauseFieldsProps) {
  const { clause, phrases, known, vocabulary, label, at, problems, onChange } = props;
  const phrase = phraseOf(clause.phrase, known);
  const offered = phrases.includes(phrase) ? phrases : [...phrases, phrase];
  return (
    <>
      <Select
        aria-label={label}
        className="max-w-full"
        value={clause.phrase}
        onChange={({ target }) =>
          onChange(rephrased(phraseOf(target.value, known), clause.values, vocabulary))
        }
      >
        {offered.map(({ id, words }) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </Select>
      {phrase.parts.map((part) => {
        if (typeof part === "string") return <span key={part}>{part}</span>;
        if (typeof part === "function") return <span key="words">{part(clause.values)}</span>;
        const { field } = part;
        return (
          <SlotInput
            key={field}
            slot={part}
            value={clause.values[field] ?? ""}
            vocabulary={vocabulary}
            wrong={problems.some((problem) => concerns(problem, at, phrase.kind, field))}
            onChange={(value) =>
              onChange({ ...clause, values: { ...clause.values, [field]: value } })
            }
          />
        );
      })}
    </>
  );
}

interface SlotInputProps {
  slot: Slot;
  value: string;
  vocabulary: Vocabulary;
  wrong: boolean;
  onChange: (value: string) => void;
}

function SlotInput({ slot, value, vocabulary, wrong, onChange }: SlotInputProps) {
  const control = {
    "aria-label": slot.label,
    "aria-invalid": wrong || undefined,
    value,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (slot.of === "number" || slot.of === "text") {
    const width = slot.of === "number" ? "!w-20" : "!w-48";
    return (
      <input
        {...control}
        inputMode={slot.of === "number" ? "decimal" : "text"}
        placeholder={slot.of === "text" ? "optional" : undefined}
        autoComplete="off"
        className={clsx(controlClass, width)}
      />
    );
  }
  return (
    <Select {...control} className="max-w-full">
      <Options slot={slot} value={value} vocabulary={vocabulary} />
    </Select>
  );
}

function Options({
  slot,
  value,
  vocabulary,
}: Pick<SlotInputProps, "slot" | "value" | "vocabulary">) {
  if (slot.of === "choice") {
    return slot.choices?.map(([name, words]) => (
      <option key={name} value={name}>
        {words}
      </option>
    ));
  }
  if (slot.of === "knob") return <Named named={vocabulary.knobs} value={value} />;
  const names = vocabulary.metrics.flatMap(({ metrics }) => metrics.map(({ name }) => name));
  const isKnown = value === "" || names.includes(value);
  return (
    <>
      {slot.of === "any metric" && <option value="">any metric</option>}
      {!isKnown && <option value={value}>{value}</option>}
      {vocabulary.metrics.map(({ title, metrics }) => (
        <optgroup key={title} label={title}>
          {metrics.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
    </>
  );
}

/** A saved name that is not among the options stays selected. */
function Named({ named, value }: { named: Vocabulary["knobs"]; value: string }) {
  const isKnown = named.some(({ name }) => name === value);
  return [...(isKnown ? [] : [{ name: value, label: value }]), ...named].map(({ name, label }) => (
    <option key={name} value={name}>
      {label}
    </option>
  ));
}

interface DryRunFiringsProps {
  found: DryRun;
  /** The run whose rows they were, in a sentence. */
  run?: string;
}

/** Where the rules would have fired in a run. */
export function DryRunFirings({ found, run = "this run" }: DryRunFiringsProps) {
  const { firings, total, unknown } = found;
  const notKnown = unknown.length > 0 && (
    <p className="text-xs text-ink-faint">
      {unknown.length === 1 ? "Rule" : "Rules"} {unknown.join(" and ")} cannot be tried: the logged
      metrics contain neither disk space nor errors.
    </p>
  );
  if (total === 0) {
    return (
      <div role="status" className="mt-3 flex flex-col gap-1 text-sm text-ink-soft">
        <p>
          {unknown.length === 0 ? "None of these rules" : "None of the other rules"} would have
          fired in {run}.
        </p>
        {notKnown}
      </div>
    );
  }
  return (
    <section aria-label="Dry run" className="mt-3 border-t border-line pt-3">
      <p role="status" className="text-sm font-medium">
        Would have fired {plural(total, "time")} in {run}
        {firings.length < total && `, of which these are the first ${count(firings.length)}`}
      </p>
      <p className="text-xs text-ink-faint">
        How an action would have changed later rows is unknown.
      </p>
      {notKnown}
      <ol className="mt-1.5 max-h-80 divide-y divide-line overflow-y-auto text-xs">
        {firings.map(({ rule, step, count: times, says, done, not_done }) => (
          <li key={`${step} ${rule} ${times}`} className="flex gap-3 py-1.5">
            <span className="w-20 shrink-0 font-mono tabular-nums">{count(step)}</span>
            <span className="min-w-0">
              <span className="text-ink-soft">
                Rule {rule}
                {times > 1 && `, time ${times}`}: {says}.
              </span>
              {not_done.map((reason) => (
                <span key={reason} className="block text-warn">
                  {reason}
                </span>
              ))}
              {done.length === 0 && (
                <span className="block text-ink-faint">Nothing was left to do.</span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
