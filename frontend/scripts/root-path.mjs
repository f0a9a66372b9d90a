import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Next's `basePath` while it builds. The service looks for the same (`ROOT_PLACEHOLDER` in `rlviz/server/pages.py`). */
export const ROOT_PLACEHOLDER = "/__RLVIZ_ROOT__";

const TEXTS = new Set([".css", ".html", ".js", ".json", ".svg", ".txt"]);

/** A link to "/__RLVIZ_ROOT__?new" would become one to "?new" at the top, which is another page. */
const WITHOUT_SLASH = /.{0,40}__RLVIZ_ROOT__[^/].{0,40}/;
/** In code it may also be the whole of a text. */
const WITHOUT_SLASH_IN_CODE = /.{0,40}__RLVIZ_ROOT__[^/"'`].{0,40}/;

/** Pages that are served at addresses of any form. */
const ANYWHERE = new Set(["404.html", "_not-found.html"]);

/**
 * Runs in a page before all else: says what to do where a proxy serves the app below a path and the service does not
 * know, since then nothing that the page names can be loaded.
 */
function explainWrongRoot(route, root) {
  const { pathname } = window.location;
  const at = pathname.length - route.length;
  if (root !== "" || at < 1 || !pathname.endsWith(route)) return;
  window.addEventListener("DOMContentLoaded", () => {
    const where = pathname.slice(0, at);
    document.body.replaceChildren(
      `This app is served below ${where}, and its service does not know that. ` +
        `Start the service with RLVIZ_ROOT_PATH=${where}`,
    );
    document.body.style.padding = "2rem";
  });
}

/**
 * Makes one export for every path that a proxy may serve the app under: each file with the placeholder is kept as
 * `<name>.template`, which the service fills in, and the file itself becomes that for the top of the address.
 */
function writeTemplates(out) {
  let templates = 0;
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const kind = path.extname(file);
    if (!entry.isFile() || !TEXTS.has(kind)) continue;
    let content = readFileSync(file, "utf8");
    if (!content.includes(ROOT_PLACEHOLDER)) {
      rmSync(`${file}.template`, { force: true });
      continue;
    }
    const [stray] = content.match(kind === ".js" ? WITHOUT_SLASH_IN_CODE : WITHOUT_SLASH) ?? [];
    if (stray) throw new Error(`${file}: the root path is not followed by a slash: ${stray}`);
    if (kind === ".html" && !ANYWHERE.has(path.basename(file))) {
      const route = `/${path
        .relative(out, file)
        .replaceAll(path.sep, "/")
        .replace(/(index)?\.html$/, "")}`;
      const call = `(${explainWrongRoot})(${JSON.stringify(route)}, ${JSON.stringify(ROOT_PLACEHOLDER)})`;
      content = content.replace("<head>", `<head><script>${call}</script>`);
    }
    writeFileSync(`${file}.template`, content);
    writeFileSync(file, content.replaceAll(ROOT_PLACEHOLDER, ""));
    templates += 1;
  }
  if (templates === 0) throw new Error(`No file of ${out} has the placeholder of the root path.`);
  process.stdout.write(
    `Kept ${templates} files of the export as templates for other root paths.\n`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeTemplates(fileURLToPath(new URL("../out", import.meta.url)));
}
