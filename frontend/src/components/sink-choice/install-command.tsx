import { CopyButton } from "@/ui/copy-button";

/** The command that installs what a sink needs, to be copied. */
export function InstallCommand({ label, command }: { label: string; command: string }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-soft">
      <span>Not installed where the service runs:</span>
      <code className="font-mono break-all text-ink">{command}</code>
      <CopyButton text={command} label={`Copy the command that installs ${label}`} />
    </p>
  );
}
