import type { Metadata } from "next";
import { Settings } from "@/screens/settings/settings";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Settings" };

export default function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings">Settings of this browser and of the service.</PageHeader>
      <Settings />
    </>
  );
}
