import Link from "next/link";
import type { QueryAnswer } from "@/api/types";
import { NONE, plural, setting } from "@/lib/number";
import { routes } from "@/lib/routes";
import { valueText } from "./csv";

/** Rows that are shown; the CSV has all of them. */
const MOST_SHOWN = 200;

/** The rows of an answer. Ids of runs lead to their pages. */
export function ResultTable({ answer: { columns, types, rows } }: { answer: QueryAnswer }) {
  const ids = columns.map((name) => name === "run_id" || name === "id");
  if (rows.length === 0) return <p className="p-4 text-sm text-ink-soft">No row matches.</p>;
  return (
    <>
      <div role="region" aria-label="Rows" tabIndex={0} className="max-h-120 overflow-auto">
        <table className="w-full text-sm tabular-nums">
          <thead className="sticky top-0 bg-surface text-left text-xs text-ink-soft">
            <tr className="[&>th]:border-b [&>th]:border-line [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
              {columns.map((name, i) => (
                <th key={i} scope="col" title={types[i]} className="whitespace-nowrap">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_SHOWN).map((row, number) => (
              <tr key={number} className="border-b border-line last:border-0">
                {row.map((value, i) => (
                  <td key={i} className="max-w-80 truncate px-4 py-1.5 whitespace-nowrap">
                    {ids[i] && typeof value === "string" ? (
                      <Link href={routes.run(value)} className="text-accent hover:underline">
                        {value}
                      </Link>
                    ) : value === null ? (
                      <span className="text-ink-faint">{NONE}</span>
                    ) : typeof value === "number" ? (
                      setting(value)
                    ) : (
                      valueText(value)
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > MOST_SHOWN && (
        <p className="border-t border-line px-4 py-2 text-xs text-ink-faint">
          {plural(rows.length - MOST_SHOWN, "more row")} in the CSV.
        </p>
      )}
    </>
  );
}
