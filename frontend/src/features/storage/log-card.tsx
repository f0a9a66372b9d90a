import type { Storage } from "@/api/types";
import { moment } from "@/lib/format-time";
import { Card } from "@/ui/card";
import { ActionList } from "./action-list";

/** What rules have done, the newest first. */
export function LogCard({ storage }: { storage: Storage }) {
  return (
    <Card title="Log" bodyClass="p-4">
      {storage.log.length > 0 ? (
        <ActionList actions={storage.log} when={(action) => moment(action.time)} />
      ) : (
        <p className="text-sm text-ink-soft">No rule has done anything yet.</p>
      )}
    </Card>
  );
}
