"use client";

import clsx from "clsx";
import { ArrowDown, ArrowUp, Plus, Trash2, X } from "lucide-react";
import type { ReactNode } from "react";
import type { FieldProblem } from "@/api/http";
import { Button } from "@/ui/button";
import { controlClass } from "@/ui/select";
import { ClauseFields } from "./clause-fields";
import { actionsOf, type Clause, rephrased, type RuleDraft, type Vocabulary } from "./draft";
import { ACTIONS, CONDITIONS } from "./phrases";
import type { Warning } from "./warnings";

/** As many as the service takes for one rule. */
const MOST_ACTIONS = 5;

interface RuleItemProps {
  draft: RuleDraft;
  /** From 0. */
  index: number;
  isLast: boolean;
  vocabulary: Vocabulary;
  /** Those of this rule. */
  problems: readonly FieldProblem[];
  warnings: readonly Warning[];
  onChange: (draft: RuleDraft) => void;
  /** By how many places. */
  onMove: (by: number) => void;
  onRemove: () => void;
}

/** One rule as a sentence. */
export function RuleItem(props: RuleItemProps) {
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
