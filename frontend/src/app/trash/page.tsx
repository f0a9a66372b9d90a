import type { Metadata } from "next";
import { Trash } from "@/screens/trash/trash";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Trash" };

export default function TrashPage() {
  return (
    <>
      <PageHeader title="Trash">
        Deleted runs with all their data, until they are removed for good.
      </PageHeader>
      <Trash />
    </>
  );
}
