import type { AnalyticsSchema } from "@/api/types";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";

/** The columns that a SELECT can name, by table. */
export function SchemaHelp({ tables }: { tables: AnalyticsSchema["tables"] }) {
  return (
    <Card title="Tables" className="self-start">
      {tables.map(({ name, columns }) => (
        <Disclosure key={name} summary={<code className="font-mono">{name}</code>}>
          <div
            className="mb-2 max-h-80 overflow-y-auto pl-5 text-xs"
            tabIndex={0}
            role="region"
            aria-label={`Columns of ${name}`}
          >
            <dl className="flex flex-col gap-1.5">
              {columns.map((column) => (
                <div key={column.name}>
                  <dt className="flex flex-wrap items-baseline gap-x-2">
                    <code className="font-mono break-all">{column.name}</code>
                    <span className="text-2xs text-ink-faint">{column.type}</span>
                  </dt>
                  <dd className="text-ink-soft">{column.description}</dd>
                </div>
              ))}
            </dl>
          </div>
        </Disclosure>
      ))}
    </Card>
  );
}
