import { Compass } from "lucide-react";
import type { Metadata } from "next";
import { routes } from "@/lib/routes";
import { SearchAction } from "@/shell/search-action";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { HoverLink } from "@/ui/hover-link";
import { EmptyState } from "@/ui/notice";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <>
      <h1 className="sr-only">Page not found</h1>
      <Card label="Page not found" bodyClass="py-8">
        <EmptyState
          icon={Compass}
          title="No page has this address"
          action={
            <>
              <HoverLink href={routes.home} className={buttonClass("primary")}>
                Go to your runs
              </HoverLink>
              <SearchAction />
            </>
          }
        >
          The link may be mistyped, or the run it led to may have been deleted.
        </EmptyState>
      </Card>
    </>
  );
}
