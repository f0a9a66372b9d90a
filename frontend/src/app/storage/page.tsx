import type { Metadata } from "next";
import { PageHeader } from "@/components/layout/page-header";
import { Storage } from "@/features/storage/storage";

export const metadata: Metadata = { title: "Storage" };

export default function StoragePage() {
  return (
    <>
      <PageHeader title="Storage">
        What takes space, and the rules by which room is made.
      </PageHeader>
      <Storage />
    </>
  );
}
