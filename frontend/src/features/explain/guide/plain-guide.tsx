import type { Algorithm } from "@/api/types";
import { setting } from "@/lib/number";
import { Section } from "./section";

/** What the service says of an algorithm for which there is no guide: what it is, and its hyperparameters. */
export function PlainGuide({ algorithm }: { algorithm: Algorithm }) {
  return (
    <div className="flex flex-col gap-9">
      <p className="max-w-[60ch] text-lg leading-relaxed text-pretty">
        {algorithm.title}. {algorithm.summary}
      </p>
      <Section id="knobs" title="Hyperparameters">
        <dl className="divide-y divide-line rounded-lg border border-line bg-surface">
          {algorithm.hyperparameters.map(({ name, help, default: value }) => (
            <div key={name} className="grid gap-x-6 px-4 py-2.5 sm:grid-cols-[14rem_1fr_8rem]">
              <dt className="font-mono text-sm font-medium">{name}</dt>
              <dd className="text-sm text-ink-soft">{help}</dd>
              <dd className="font-mono text-xs tabular-nums sm:text-right">{setting(value)}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </div>
  );
}
