import type { Hyperparameter } from "@/api/types";
import { plural } from "@/lib/number";
import { Disclosure } from "@/ui/disclosure";
import { Select } from "@/ui/select";
import { POINTERS, problemAt, type Problems } from "./problems";
import { SpaceRowFields } from "./space-row-fields";
import { ownRow, type SpaceRow } from "./sweep-draft";

interface SpaceFieldsProps {
  rows: readonly SpaceRow[];
  fields: ReadonlyMap<string, Hyperparameter>;
  problems: Problems;
  onChange: (rows: readonly SpaceRow[]) => void;
}

/** What is searched: what the algorithm suggests, each to be left out or changed, and others added. */
export function SpaceFields({ rows, fields, problems, onChange }: SpaceFieldsProps) {
  const left = [...fields.values()].filter(({ name }) => rows.every((row) => row.name !== name));
  const searched = rows.filter((row) => row.searched);
  const wrong = problemAt(problems, "/sweep/space") !== undefined;
  return (
    <Disclosure
      summary={`${plural(searched.length, "hyperparameter")} searched`}
      aside={
        <span className={`text-xs ${wrong ? "text-bad" : "text-ink-faint"}`}>
          {problems.get("/sweep/space") ??
            (wrong ? "one does not fit" : "as suggested, or changed")}
        </span>
      }
      className="rounded-md border border-line px-3 py-1"
    >
      <ul aria-label="What is searched" className="flex flex-col divide-y divide-line">
        {rows.map((row, place) => (
          <SpaceRowFields
            key={row.name}
            row={row}
            rows={rows}
            place={place}
            fields={fields}
            problem={problemAt(problems, POINTERS.space(row.name))}
            isNeeded={searched.length === 0}
            onChange={(changes) =>
              onChange(rows.map((one, at) => (at === place ? { ...one, ...changes } : one)))
            }
          />
        ))}
      </ul>
      {left.length > 0 && (
        <Select
          className="my-2"
          aria-label="Search another hyperparameter"
          value=""
          onChange={({ currentTarget: { value } }) => {
            const schema = fields.get(value);
            if (schema) onChange([...rows, ownRow(schema)]);
          }}
        >
          <option value="">Search another…</option>
          {left.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
    </Disclosure>
  );
}
