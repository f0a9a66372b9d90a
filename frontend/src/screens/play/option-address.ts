import type { Environment } from "@/api/types";
import { parseHyperparameter } from "@/forms/parse";
import { setting } from "@/lib/number";
import { searchOf } from "@/lib/query-string";

/** Typed text by name of the option. An option without an entry has its usual value. */
export type TypedOptions = Readonly<Record<string, string>>;

type Options = Pick<Environment, "options">;
type Option = Environment["options"][number];

/** Prefix of an option's name in the address, since an option can have the name of another parameter. */
const PREFIX = "option.";

/** The value that an option has when the page opens: its own for playing by hand, or else its default. */
export function usualValue({ by_hand, default: usual }: Option): unknown {
  return by_hand ?? usual;
}

/**
 * The options in the address, as typed, and those that have another value for playing by hand than their default. Options
 * that the environment does not have are left out.
 */
export function readOptions(query: URLSearchParams, { options }: Options): TypedOptions {
  return Object.fromEntries(
    options.flatMap((option) => {
      const typed = query.get(PREFIX + option.name);
      if (typed !== null) return [[option.name, typed]];
      return option.by_hand == null ? [] : [[option.name, setting(option.by_hand)]];
    }),
  );
}

/** The query string with these options in place of others, without those that have their usual value. */
export function writeOptions(
  query: URLSearchParams,
  { options }: Options,
  typed: TypedOptions,
): string {
  const next = new URLSearchParams([...query].filter(([name]) => !name.startsWith(PREFIX)));
  for (const option of options) {
    const text = typed[option.name];
    if (text !== undefined && text !== setting(usualValue(option)))
      next.set(PREFIX + option.name, text);
  }
  return searchOf(next);
}

/** The values to play with. An invalid value is replaced by the usual one. */
export function optionValues({ options }: Options, typed: TypedOptions): Record<string, unknown> {
  return Object.fromEntries(
    options.flatMap((option) => {
      const text = typed[option.name];
      const parsed = text === undefined ? null : parseHyperparameter(option, text);
      if (parsed?.ok) return [[option.name, parsed.value]];
      return option.by_hand == null ? [] : [[option.name, option.by_hand]];
    }),
  );
}

/** Problems with the typed values, by name of the option. */
export function optionProblems({ options }: Options, typed: TypedOptions): TypedOptions {
  return Object.fromEntries(
    options.flatMap((option) => {
      const text = typed[option.name];
      const parsed = text === undefined ? null : parseHyperparameter(option, text);
      return parsed && !parsed.ok ? [[option.name, parsed.problem]] : [];
    }),
  );
}
