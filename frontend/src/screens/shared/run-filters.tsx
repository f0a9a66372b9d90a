"use client";

/** Filters for a list of runs: by text, status, algorithm, environment and tag. */

import clsx from "clsx";
import { ChevronDown, Search } from "lucide-react";
import {
  type ComponentProps,
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { useLimits } from "@/api/choices";
import { CHOSEN, type Chosen, type ListFilter } from "@/api/run-filter";
import { withRetry } from "@/api/with-retry";
import { writeAfter } from "@/lib/query-string";
import { buttonClass } from "@/ui/button";
import { controlClass } from "@/ui/select";

const LABELS: Record<Chosen, string> = {
  status: "Status",
  algo: "Algorithm",
  env_id: "Environment",
  tag: "Tag",
};

interface FilterButtonsProps {
  filter: Pick<ListFilter, Chosen>;
  onChange: (part: Partial<ListFilter>) => void;
}

/** A button for each of the filters whose values are chosen from a menu. */
export function FilterButtons({ filter, onChange }: FilterButtonsProps) {
  return CHOSEN.map((name) => (
    <FilterButton
      key={name}
      name={name}
      label={LABELS[name]}
      values={filter[name]}
      onChange={(values) => onChange({ [name]: values })}
    />
  ));
}

const load = () => import("./filter-menu");
const FilterMenu = lazy(withRetry(load));

interface FilterButtonProps {
  name: Chosen;
  label: string;
  values: readonly string[];
  onChange: (values: string[]) => void;
}

/**
 * A button that shows a filter's selected values and opens its menu. The menu's code is loaded on hover,
 * focus or press.
 */
function FilterButton({ name, label, values, onChange }: FilterButtonProps) {
  const [wanted, setWanted] = useState(false);
  const face = { label, values };
  if (!wanted) {
    return (
      <Face
        {...face}
        aria-haspopup="dialog"
        aria-expanded={false}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => setWanted(true)}
      />
    );
  }
  return (
    <Suspense fallback={<Face {...face} aria-busy />}>
      <FilterMenu
        name={name}
        label={label}
        trigger={<Face {...face} />}
        values={values}
        onChange={onChange}
      />
    </Suspense>
  );
}

interface FaceProps extends ComponentProps<"button"> {
  label: string;
  values: readonly string[];
}

function Face({ label, values, ...rest }: FaceProps) {
  const [only] = values;
  return (
    <button
      type="button"
      aria-label={values.length > 0 ? `${label}: ${values.join(", ")}` : label}
      className={clsx(
        buttonClass("secondary"),
        "max-w-52 px-2.5 font-normal",
        values.length > 0 ? "border-accent! text-ink" : "text-ink-soft",
      )}
      {...rest}
    >
      {label}
      {values.length > 0 && (
        <span className="truncate font-medium text-accent tabular-nums">
          {values.length === 1 ? only : values.length}
        </span>
      )}
      <ChevronDown aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
    </button>
  );
}

/** Milliseconds without typing after which the list is filtered. */
const PAUSE_MS = 180;

interface SearchBoxProps {
  text: string;
  onChange: (text: string) => void;
}

/**
 * The search field. It filters the list after a pause in typing, and becomes empty when the filter is cleared
 * elsewhere.
 */
export function SearchBox({ text, onChange }: SearchBoxProps) {
  const limits = useLimits();
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  const box = useRef<HTMLInputElement>(null);
  if (known !== text) {
    setKnown(text);
    setTyped(text);
  }
  const commit = () => {
    setKnown(typed);
    onChange(typed);
  };
  const commitAfterPause = useEffectEvent(commit);

  // External system: a timer. `onChange` takes only the text, so other changes made meanwhile
  // (filters, order) are kept.
  useEffect(() => {
    if (typed === text) return;
    return writeAfter(PAUSE_MS, commitAfterPause);
  }, [typed, text]);

  // External system: keyboard shortcuts on the whole page.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest?.(
        "input:not([type=checkbox]), textarea, select, [role=dialog]",
      );
      if (event.key !== "/" || event.ctrlKey || event.metaKey || typing) return;
      event.preventDefault();
      box.current?.focus();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);

  return (
    <div role="search" className="relative min-w-0 grow basis-56">
      <Search
        aria-hidden
        className="absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-ink-faint"
      />
      <input
        ref={box}
        type="search"
        maxLength={limits?.search.maximum}
        aria-label="Search runs"
        aria-keyshortcuts="/"
        placeholder="Search name, tag, note or id"
        className={`${controlClass} pl-8`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit();
          if (event.key !== "Escape") return;
          event.preventDefault(); // browsers would clear the field
          commit();
          event.currentTarget.blur();
        }}
      />
    </div>
  );
}
