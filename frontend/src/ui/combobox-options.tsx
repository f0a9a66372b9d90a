"use client";

import { Command } from "cmdk";
import { Check, Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ranked } from "@/lib/rank";

export interface ComboboxOption {
  value: string;
  label: string;
  /** Placed before the label. */
  picture?: ReactNode;
  /** A second line in a fainter colour. */
  detail?: ReactNode;
  /** Placed at the end of the line, for instance a status or a count. */
  aside?: ReactNode;
  group?: string;
  /** More words to search, after those of the label. */
  keywords?: string[];
  disabled?: boolean;
}

export interface Searching {
  placeholder?: string;
  /** Given if the service searches; the options are then shown unfiltered. */
  onSearch?: (text: string) => void;
  loading?: boolean;
  /** Shown when no option matches. */
  none?: string;
}

interface OptionListProps extends Searching {
  label: string;
  options: readonly ComboboxOption[];
  chosen: (value: string) => boolean;
  onChoose: (value: string) => void;
  /** Placed below the list. */
  footer?: ReactNode;
}

/**
 * A search field above its list of options. The field keeps the focus; arrow keys move the choice, Enter
 * selects.
 */
export function OptionList({
  label,
  options,
  chosen,
  onChoose,
  placeholder = "Search",
  onSearch,
  loading = false,
  none = "Nothing found",
  footer,
}: OptionListProps) {
  const [text, setText] = useState("");
  const search = (next: string) => {
    setText(next);
    onSearch?.(next);
  };
  const found = onSearch ? options : rankedOptions(options, text);
  return (
    <Command label={label} shouldFilter={false} loop vimBindings={false}>
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
        <Command.Input
          value={text}
          onValueChange={search}
          placeholder={placeholder}
          className="h-9 w-full min-w-0 bg-transparent text-sm outline-none max-md:h-11 max-md:text-[1rem]"
        />
      </div>
      <Command.List label={label} className="max-h-72 overflow-y-auto p-1" aria-busy={loading}>
        {!loading && (
          <Command.Empty className="px-2 py-6 text-center text-sm text-ink-soft">
            {none}
          </Command.Empty>
        )}
        {grouped(found).map(([group, members]) => (
          <Command.Group
            key={group}
            heading={group || undefined}
            value={group}
            className="**:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-2xs **:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-faint"
          >
            {members.map((option) => (
              <Option
                key={option.value}
                option={option}
                chosen={chosen(option.value)}
                onChoose={() => onChoose(option.value)}
              />
            ))}
          </Command.Group>
        ))}
      </Command.List>
      {footer}
    </Command>
  );
}

interface OptionProps {
  option: ComboboxOption;
  chosen: boolean;
  onChoose: () => void;
}

function Option({ option, chosen, onChoose }: OptionProps) {
  const { value, label, picture, detail, aside, disabled } = option;
  return (
    <Command.Item
      value={value}
      disabled={disabled}
      onSelect={onChoose}
      className="flex min-h-8 items-center gap-2 rounded-md px-2 py-1 text-sm select-none data-[disabled=true]:opacity-50 data-[selected=true]:bg-rest-tint max-md:min-h-11"
    >
      <span className="grid size-4 shrink-0 place-items-center">
        {chosen && (
          <>
            <Check aria-hidden className="size-3.5 text-accent" />
            <span className="sr-only">chosen:</span>
          </>
        )}
      </span>
      {picture}
      <span className="min-w-0 grow">
        <span className="block truncate">{label}</span>
        {detail && <span className="block truncate text-xs text-ink-soft">{detail}</span>}
      </span>
      {aside}
    </Command.Item>
  );
}

function rankedOptions(options: readonly ComboboxOption[], text: string): ComboboxOption[] {
  const items = options.map((option) => ({ name: option.label, words: option.keywords, option }));
  return ranked(items, text).map(({ option }) => option);
}

function grouped(options: readonly ComboboxOption[]): [string, ComboboxOption[]][] {
  const groups = new Map<string, ComboboxOption[]>();
  for (const option of options) {
    const group = option.group ?? "";
    groups.set(group, [...(groups.get(group) ?? []), option]);
  }
  return [...groups];
}
