import type { Metadata } from "next";
import { Trash } from "@/screens/trash/trash";
import { PageHeader } from "@/shell/page-header";

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
