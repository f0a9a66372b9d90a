import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/**
 * Writes `.br` and `.gz` beside every text of the export, once at the build, for the service to hand out: what is
 * compressed then costs nothing when it is asked for, and may be compressed as well as can be.
 */
const TEXTS = new Set([".css", ".html", ".js", ".json", ".svg", ".txt", ".webmanifest", ".xml"]);
const LEAST_BYTES = 1_000;

const out = fileURLToPath(new URL("../out", import.meta.url));
let before = 0;
let after = 0;
for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath ?? entry.path, entry.name);
  if (!entry.isFile() || !TEXTS.has(path.extname(file))) continue;
  const content = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  const variants = {
    br: brotliCompressSync(content, { params }),
    gz: gzipSync(content, { level: 9 }),
  };
  for (const [ending, variant] of Object.entries(variants)) {
    const small = content.length >= LEAST_BYTES && variant.length < content.length;
    if (small) writeFileSync(`${file}.${ending}`, variant);
    else rmSync(`${file}.${ending}`, { force: true });
  }
  before += content.length;
  after += Math.min(content.length, variants.br.length);
}
process.stdout.write(
  `Compressed ${(before / 1e6).toFixed(1)} MB of the export to ${(after / 1e6).toFixed(1)} MB.\n`,
);
