import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ACTIONS, CONDITIONS, type Phrase, type Slot } from "./draft";

interface Property {
  enum?: string[];
  anyOf?: Property[];
}
interface Schema {
  properties: Record<string, Property>;
}
interface Union {
  discriminator: { mapping: Record<string, string> };
}

const { Rule, ...schemas } = (
  JSON.parse(readFileSync("openapi.json", "utf8")) as {
    components: { schemas: Record<string, unknown> };
  }
).components.schemas;
const { when, do: actions } = (Rule as { properties: { when: Union; do: { items: Union } } })
  .properties;

/** The fields of each kind in the service, with the values of those that are a choice. */
function fieldsInService({ discriminator: { mapping } }: Union) {
  return Object.fromEntries(
    Object.entries(mapping).map(([kind, ref]) => {
      const { properties } = schemas[ref.split("/").at(-1)!] as Schema;
      const fields = Object.entries(properties).filter(([name]) => name !== "kind");
      return [
        kind,
        Object.fromEntries(fields.map(([name, one]) => [name, one.enum?.toSorted() ?? null])),
      ];
    }),
  );
}

/** The same as the editor's phrases have it. */
function fieldsInEditor(phrases: readonly Phrase[]) {
  const isSlot = (part: Phrase["parts"][number]): part is Slot => typeof part === "object";
  return Object.fromEntries(
    phrases.map(({ kind, parts, fixed }) => [
      kind,
      Object.fromEntries([
        ...Object.keys(fixed ?? {}).map((name) => [name, null]),
        ...parts
          .filter(isSlot)
          .map(({ field, choices }) => [
            field,
            choices?.map(([value]) => value).toSorted() ?? null,
          ]),
      ]),
    ]),
  );
}

test.each([
  ["condition", CONDITIONS, when],
  ["action", ACTIONS, actions.items],
] as const)(
  "the editor can say every %s of the service, with all of its fields",
  (_, phrases, of) => {
    expect(fieldsInEditor(phrases)).toEqual(fieldsInService(of));
  },
);
