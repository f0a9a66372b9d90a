import { Disclosure } from "@/components/ui/disclosure";
import type { RunConfig } from "@/lib/api";
import { count, moment, setting } from "@/lib/format";

export function ConfigPanel({ config }: { config: RunConfig }) {
  const { checkpoints } = config;
  const run = {
    created: moment(config.created_at),
    "total timesteps": count(config.total_timesteps),
    seed: config.seed,
    "torch threads": config.torch_threads,
    ...(checkpoints && { checkpoints: describeCheckpoints(checkpoints) }),
    ...(config.git_revision && { revision: config.git_revision.slice(0, 12) }),
  };
  return (
    <section
      aria-label="Configuration"
      className="min-w-0 rounded-lg border border-line bg-surface px-4 py-1.5 shadow-card"
    >
      <Disclosure summary="Configuration">
        <div className="flex flex-col gap-4 pt-1 pb-3">
          <Facts title="Hyperparameters" facts={config.hyperparameters} />
          <Facts title="Run" facts={run} />
          <Facts title="Versions" facts={config.versions ?? {}} />
        </div>
      </Disclosure>
    </section>
  );
}

function describeCheckpoints(policy: NonNullable<RunConfig["checkpoints"]>): string {
  const { every_steps: steps, every_seconds: seconds, keep } = policy;
  return `every ${count(steps)} steps or ${setting(seconds)} s, newest ${setting(keep)} kept`;
}

function Facts({ title, facts }: { title: string; facts: Record<string, unknown> }) {
  return (
    <div>
      <h3 className="text-xs font-medium text-ink-faint">{title}</h3>
      <dl className="mt-1 divide-y divide-line">
        {Object.entries(facts).map(([name, value]) => (
          <div key={name} className="flex justify-between gap-4 py-1 text-xs">
            <dt className="shrink-0 font-mono text-ink-soft">{name}</dt>
            <dd className="min-w-0 text-right font-mono break-words tabular-nums">
              {setting(value)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
