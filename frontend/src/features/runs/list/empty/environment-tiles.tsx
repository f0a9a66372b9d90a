import { useQuery } from "@tanstack/react-query";
import { Gamepad2 } from "lucide-react";
import Link from "next/link";
import { environmentsQuery } from "@/api/choices";
import { routes } from "@/lib/routes";
import { EnvironmentStill } from "@/ui/environment-still";

/** Tiles of environments. Each opens the new-run form with that environment, or lets the user play it. */
export function EnvironmentTiles() {
  const { data } = useQuery(environmentsQuery);
  const environments = (data ?? []).filter(({ available, still_url }) => available && still_url);
  if (environments.length === 0) return null;
  return (
    <nav aria-label="Environments" className="mx-auto mb-6 max-w-3xl px-4">
      <ul className="grid grid-cols-2 gap-2 sm:grid-cols-4 md:grid-cols-7">
        {environments.map(({ id, name, still_url }) => (
          <li key={id}>
            <Link
              href={routes.newRunOn(id)}
              className="block rounded-md p-1 transition-colors hover:bg-sunken"
            >
              <EnvironmentStill url={still_url} className="aspect-3/2 w-full" />
              <span className="mt-1 block truncate text-center text-2xs text-ink-soft">{name}</span>
            </Link>
            <Link
              href={routes.playOn(id)}
              aria-label={`Play ${name} yourself`}
              className="mx-auto flex w-fit items-center gap-1 rounded-sm px-1.5 py-0.5 text-2xs text-ink-faint transition-colors hover:text-ink max-md:py-2"
            >
              <Gamepad2 aria-hidden className="size-3" />
              Play
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
