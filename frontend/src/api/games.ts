import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { GameContent, GameDescription, GameFileProblem, OwnGames } from "./types";

/** The Game Boy games in the folder of ROMs. */
export const gamesQuery = queryOptions({
  queryKey: keys.games,
  queryFn: ({ signal }) => unwrap(http.GET("/games", { signal })),
});

/** A game with the content of its `game.toml`. It is read once: the user edits it. */
export function gameQuery(name: string) {
  return queryOptions({
    queryKey: keys.game(name),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/games/{name}", { params: { path: { name } }, signal })),
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** The text of a `game.toml` with this content, and its problems. Nothing is written. */
export function gameCheckQuery(name: string, content: GameContent) {
  return queryOptions({
    queryKey: keys.gameCheck(name, content),
    queryFn: ({ signal }) =>
      unwrap(
        http.POST("/games/{name}/check", { params: { path: { name } }, body: { content }, signal }),
      ),
    staleTime: Infinity,
    gcTime: 10_000,
  });
}

/** Why games of the folder are not in the list, and what to do. */
export function gamesLeftOut(
  games: OwnGames & { left_out?: readonly string[] },
): readonly string[] {
  return games.left_out ?? [];
}

/** The problems of the stored `game.toml`. */
export function storedProblems(
  game: GameDescription & { problems?: readonly GameFileProblem[] | null },
): readonly GameFileProblem[] {
  return game.problems ?? [];
}

export interface GameChange {
  content: GameContent;
  /** Of the version that was edited; null: there was none. */
  digest: string | null;
  /** Whether comments of the file may be lost. */
  accept_loss: boolean;
}

/** Writes the `game.toml` of a game. */
export function saveGame(name: string, body: GameChange) {
  return unwrap(http.PUT("/games/{name}", { params: { path: { name } }, body }));
}
