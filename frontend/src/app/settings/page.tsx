import type { Metadata } from "next";
import { Settings } from "@/screens/settings/settings";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Settings" };

export default function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings">This browser, and what the service runs with.</PageHeader>
      <Settings />
    </>
  );
}
