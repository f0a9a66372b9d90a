"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { PageHeader } from "@/components/layout/page-header";
import { buttonClass } from "@/components/ui/button";
import { environmentsQuery } from "@/lib/api";
import { playSession } from "@/lib/session";
import { routes } from "@/lib/url";
import { PlayRoom } from "./play-room";

/** An environment, played by hand. */
export function PlayEnvironment({ id }: { id: string }) {
  const [client] = useState(() => playSession({ env_id: id }));
  const { data } = useQuery(environmentsQuery);
  const environment = data?.find((each) => each.id === id);
  return (
    <>
      <PageHeader title={`Play ${environment?.name ?? id}`}>{environment?.summary}</PageHeader>
      <PlayRoom
        client={client}
        envId={id}
        label={id}
        aside={
          <Link href={routes.newRunOn(id)} className={buttonClass()}>
            Train an agent on it
          </Link>
        }
      />
    </>
  );
}
