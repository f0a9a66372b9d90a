import { BookOpen } from "lucide-react";
import Link from "next/link";
import { buttonClass } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { routes } from "@/lib/url";

export function ExplainEmpty() {
  return (
    <Card label="Explain" bodyClass="">
      <EmptyState
        icon={BookOpen}
        title="The explanations are not written yet"
        action={
          <Link href={routes.home} className={buttonClass("primary")}>
            Read the help in the form
          </Link>
        }
      >
        This page will tell, for PPO and for DQN, what the algorithm optimises, what data it learns
        from, which settings matter and how runs fail. Until then, every setting has a line of help
        and its bounds under <b className="font-medium text-ink">Hyperparameters</b> in the form for
        a new run.
      </EmptyState>
    </Card>
  );
}
