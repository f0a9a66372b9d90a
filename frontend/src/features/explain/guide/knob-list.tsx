import clsx from "clsx";
import { count, setting } from "@/lib/number";
import type { GuideSettings, Knob } from "./guide";

interface KnobListProps {
  knobs: readonly Knob[];
  presets: readonly GuideSettings[];
  /** Id of the preset that the picture shows. */
  chosen: string;
}

/** The main hyperparameters: what a larger and a smaller value does, and the value in every preset. */
export function KnobList({ knobs, presets, chosen }: KnobListProps) {
  const known = knobs.filter(({ name }) => presets.some((p) => name in p.hyperparameters));
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {known.map((knob) => (
        <li
          key={knob.name}
          className="grid gap-x-6 gap-y-2.5 px-4 py-3 lg:grid-cols-[minmax(0,1fr)_22rem]"
        >
          <div className="min-w-0">
            <h3 className="font-mono text-sm font-medium">{knob.name}</h3>
            <p className="mt-0.5 text-sm text-ink-soft">{knob.does}</p>
            <dl className="mt-1.5 grid gap-x-4 gap-y-1 text-xs text-ink-soft sm:grid-cols-2">
              <Way word="More" text={knob.more} />
              <Way word="Less" text={knob.less} />
            </dl>
          </div>
          <dl className="grid auto-cols-fr grid-flow-col gap-1 self-center">
            {presets.map((preset) => (
              <div
                key={preset.id}
                className={clsx(
                  "min-w-0 rounded-md px-2 py-1.5",
                  preset.id === chosen ? "bg-accent-tint" : "bg-sunken",
                )}
              >
                <dt className="truncate text-2xs text-ink-soft">{preset.title}</dt>
                <dd className="truncate font-mono text-xs tabular-nums">
                  {valueOf(preset, knob.name)}
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function Way({ word, text }: { word: string; text: string }) {
  return (
    <div>
      <dt className="inline font-medium text-ink">{word}: </dt>
      <dd className="inline">{text}</dd>
    </div>
  );
}

/** The value, followed by its schedule if it changes during training. */
function valueOf({ hyperparameters }: GuideSettings, name: string): string {
  const value = hyperparameters[name];
  const text = typeof value === "number" && value >= 10_000 ? count(value) : setting(value);
  return hyperparameters[`${name}_schedule`] === "linear" ? `${text} → 0` : text;
}
