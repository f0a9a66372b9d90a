/**
 * The path below which the app is served, such as `/rlviz`; empty at the top. The build contains a placeholder
 * (`scripts/root-path.mjs`), which the service replaces with the path of its proxy.
 */
export const rootPath = process.env.NEXT_PUBLIC_ROOT_PATH ?? "";

/** The address of a route for a plain `<a>`. `Link` and the router add the root path by themselves. */
export function addressOf(route: string, root = rootPath): string {
  return `${root}${route}`;
}

/** The route of an address of the app, for the router. */
export function routeOf(address: string, root = rootPath): string {
  return address.startsWith(`${root}/`) ? address.slice(root.length) : address;
}
