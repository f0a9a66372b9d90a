import type { Environment } from "@/api/types";
import { parseHyperparameter } from "@/forms/parse";
import { setting } from "@/lib/number";
import { searchOf } from "@/lib/query-string";

/** Typed text by name of the option. An option without an entry has its default. */
export type TypedOptions = Readonly<Record<string, string>>;

type Options = Pick<Environment, "options">;

/** Prefix of an option's name in the address, since an option can have the name of another parameter. */
const PREFIX = "option.";

/** The options in the address, as typed; those that the environment does not have are left out. */
export function readOptions(query: URLSearchParams, { options }: Options): TypedOptions {
  return Object.fromEntries(
    options.flatMap(({ name }) => {
      const typed = query.get(PREFIX + name);
      return typed === null ? [] : [[name, typed]];
    }),
  );
}

/** The query string with these options in place of others, without those that are the default. */
export function writeOptions(
  query: URLSearchParams,
  { options }: Options,
  typed: TypedOptions,
): string {
  const next = new URLSearchParams([...query].filter(([name]) => !name.startsWith(PREFIX)));
  for (const option of options) {
    const text = typed[option.name];
    if (text !== undefined && text !== setting(option.default))
      next.set(PREFIX + option.name, text);
  }
  return searchOf(next);
}

/** The values to play with. Invalid values are replaced by the default. */
export function optionValues({ options }: Options, typed: TypedOptions): Record<string, unknown> {
  return Object.fromEntries(
    options.flatMap((option) => {
      const text = typed[option.name];
      const parsed = text === undefined ? null : parseHyperparameter(option, text);
      return parsed?.ok ? [[option.name, parsed.value]] : [];
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
