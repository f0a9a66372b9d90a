"use client";

import {
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
} from "lucide-react";
import type { ReactNode } from "react";
import type { FieldProblem } from "@/api/http";
import type { Rule } from "@/api/types";
import { Button } from "@/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@/ui/menu";
import { draftOf, type RuleDraft, type Vocabulary, written } from "./draft";
import { RuleItem } from "./rule-item";
import { templatesFor } from "./templates";
import { warningsOf } from "./warnings";

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

/** Rules as sentences, to be added, moved, changed and removed. */
export function RuleList(props: RuleListProps) {
  const { drafts, vocabulary, threshold, problems, onChange, children } = props;
  const warnings = problems.length === 0 ? warningsOf(written(drafts).rules) : [];
  const add = (rule: Rule) => onChange([...drafts, draftOf(rule)]);
  return (
    <>
      {drafts.length === 0 ? (
        <p className="pb-3 text-sm text-ink-soft">
          What you would do if you watched, the run can do by itself: when this happens, do that. It
          does so while the app is closed, too.
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

/** Of the first thing that a rule does. */
function iconOf({ do: [first] }: Rule) {
  const Icon = DOES[first?.kind ?? "notify"];
  return <Icon />;
}

/** Something whole to change into one's own. */
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
