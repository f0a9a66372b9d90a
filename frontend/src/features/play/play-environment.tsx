"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { environmentsQuery } from "@/api/choices";
import type { CreateSession } from "@/api/types";
import { useQueryString } from "@/lib/query-string";
import { routes } from "@/lib/routes";
import { playSession } from "@/player/session/watch-session";
import { PageHeader } from "@/shell/page-header";
import { buttonClass } from "@/ui/button";
import { optionValues, readOptions, writeOptions } from "./options/address";
import { EnvironmentOptions } from "./options/environment-options";
import { PlayRoom } from "./play-room";
import { RoomSkeleton } from "./play-skeletons";

/** An environment, played by hand with the options in the address. */
export function PlayEnvironment({ id }: { id: string }) {
  const [query, changeQuery] = useQueryString();
  const { data, isPending } = useQuery(environmentsQuery);
  const environment = data?.find((each) => each.id === id);
  const typed = environment ? readOptions(query, environment) : {};
  const values = environment ? optionValues(environment, typed) : {};
  const said = JSON.stringify(values);
  return (
    <>
      <PageHeader title={`Play ${environment?.name ?? id}`}>{environment?.summary}</PageHeader>
      {isPending ? (
        <RoomSkeleton />
      ) : (
        <Room key={said} id={id} options={values as CreateSession["env_options"]}>
          {environment && environment.options.length > 0 && (
            <EnvironmentOptions
              environment={environment}
              typed={typed}
              values={values}
              onPlay={(wanted) => changeQuery((now) => writeOptions(now, environment, wanted))}
            />
          )}
          <Link href={routes.newRunOn(id)} className={buttonClass()}>
            Train an agent on it
          </Link>
        </Room>
      )}
    </>
  );
}

interface RoomProps {
  id: string;
  options: CreateSession["env_options"];
  children: ReactNode;
}

/** A session with these options, which stay. */
function Room({ id, options, children }: RoomProps) {
  const [client] = useState(() => playSession({ env_id: id, env_options: options }));
  return <PlayRoom client={client} envId={id} label={id} aside={children} />;
}
