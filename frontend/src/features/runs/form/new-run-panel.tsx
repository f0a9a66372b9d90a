"use client";
import { useQuery } from "@tanstack/react-query";
import { Sheet } from "@/components/ui/sheet";
import { algorithmsQuery, environmentsQuery } from "@/lib/api";
import { CreateRunForm } from "./create-run-form";

export default function NewRunPanel({
  onClose,
}: {
  duplicate: string | null;
  onClose: () => void;
}) {
  const algorithms = useQuery(algorithmsQuery);
  const environments = useQuery(environmentsQuery);
  return (
    <Sheet title="New run" onClose={onClose}>
      {algorithms.data && environments.data && (
        <div className="p-4">
          <CreateRunForm
            choices={{ algorithms: algorithms.data, environments: environments.data }}
          />
        </div>
      )}
    </Sheet>
  );
}
