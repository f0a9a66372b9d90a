import type { Metadata } from "next";
import { Storage } from "@/screens/storage/storage";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Storage" };

export default function StoragePage() {
  return (
    <>
      <PageHeader title="Storage">What takes space, and rules that free it.</PageHeader>
      <Storage />
    </>
  );
}
