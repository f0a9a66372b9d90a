import type { Metadata } from "next";
import { PageHeader } from "@/components/layout/page-header";
import { Trash } from "@/features/trash/trash";

export const metadata: Metadata = { title: "Trash" };

export default function TrashPage() {
  return (
    <>
      <PageHeader title="Trash">
        Deleted runs, each whole until it is removed for good. A restored run has all it had.
      </PageHeader>
      <Trash />
    </>
  );
}
