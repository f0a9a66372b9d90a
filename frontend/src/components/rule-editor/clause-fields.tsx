"use client";

import clsx from "clsx";
import type { FieldProblem } from "@/api/http";
import { controlClass, Select } from "@/ui/select";
import { type Clause, concerns, phraseOf, rephrased, type Vocabulary } from "./draft";
import type { Phrase, Slot } from "./phrases";

interface ClauseFieldsProps {
  clause: Clause;
  /** What can be chosen. */
  phrases: readonly Phrase[];
  /** All that there are. */
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
export function ClauseFields(props: ClauseFieldsProps) {
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

/** A saved name that is not offered stays what it is. */
function Named({ named, value }: { named: Vocabulary["knobs"]; value: string }) {
  const isKnown = named.some(({ name }) => name === value);
  return [...(isKnown ? [] : [{ name: value, label: value }]), ...named].map(({ name, label }) => (
    <option key={name} value={name}>
      {label}
    </option>
  ));
}
