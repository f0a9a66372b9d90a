import { useState } from "react";
import type { ExperimentResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { decimal, plural } from "@/lib/number";
import { Card } from "@/ui/card";
import { columnHelp, FigureCell, FIGURES, RowOpener } from "./figure-cell";
import { ForestFoot, ForestLine } from "./forest-plot";
import { bestFirst } from "./labels";

/**
 * Methods over all environments that they share, the best first: normalised scores, summed up and as a forest plot;
 * nothing where all variants are trained on one.
 */
export function MethodTable({ results }: { results: ExperimentResults }) {
  const { across } = results;
  if (!across || across.methods.length === 0) return null;
  const { environments, forest } = across;
  const methods = bestFirst(across.methods);
  const figures = FIGURES.filter(({ name }) => methods.some((one) => one[name] !== null));
  return (
    <Card
      title={`Scores over ${plural(environments.length, "environment")}`}
      bodyClass="relative flex flex-col gap-3 overflow-x-auto p-4"
    >
      <p className="max-w-3xl text-xs text-ink-faint">
        Normalised: 0 is the mean return of random actions, 1 the threshold of the environment:{" "}
        {environments
          .map(
            ({ environment, random_return, threshold }) =>
              `${decimal(random_return)} and ${decimal(threshold)} on ${environment}`,
          )
          .join("; ")}
        .
      </p>
      <table className="w-full text-sm tabular-nums max-md:block md:min-w-180">
        <thead className="text-left text-xs text-ink-soft max-md:sr-only">
          <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
            <th scope="col">Method</th>
            {figures.map(({ name, title }) => (
              <th key={name} scope="col">
                <span className="flex items-center gap-1">
                  {title}
                  <ChartHelp
                    title={`${title} over environments`}
                    text={columnHelp(methods, name, "method")}
                  />
                </span>
              </th>
            ))}
            <th scope="col" className="w-2/5">
              Forest plot
            </th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {methods.map((method) => (
            <MethodRow key={method.variant} {...{ method, forest, figures }} />
          ))}
        </tbody>
        <ForestFoot forest={forest} before={1 + figures.length} after={0} />
      </table>
    </Card>
  );
}

type Across = NonNullable<ExperimentResults["across"]>;

interface MethodRowProps {
  method: Across["methods"][number];
  forest: Across["forest"];
  figures: readonly (typeof FIGURES)[number][];
}

function MethodRow({ method, forest, figures }: MethodRowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <tr className="border-b border-line align-top last:border-0 max-md:flex max-md:flex-col max-md:gap-1.5 max-md:py-3 md:[&>*]:py-2 md:[&>*]:pr-4">
      <th scope="row" className="text-left font-medium break-words md:max-w-56">
        {method.label}
        <span className="block text-2xs font-normal text-ink-faint">
          {plural(method.n, "score")}
          {method.failed > 0 && `, ${method.failed} failed`}
        </span>
      </th>
      {figures.map((figure) => (
        <FigureCell key={figure.name} of={method} {...{ figure, isOpen }} />
      ))}
      <td>
        <ForestLine forest={forest} variant={method} />
      </td>
      <RowOpener label={method.label} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
    </tr>
  );
}
