/**
 * Names as one parameter of a request, separated by commas: what has a meaning there is escaped, as
 * `rlviz/domain/plain_text.py` reads it.
 */
export function joinNames(names: readonly string[]): string {
  return names
    .map((name) => name.replace(/\\(?=[\\, ])|\\$|,|^ | $/g, (found) => `\\${found}`))
    .join(",");
}
