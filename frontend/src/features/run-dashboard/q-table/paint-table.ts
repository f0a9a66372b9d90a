import { type QPicture, shownAs, sign, squareName } from "./q-table";

const STRONGEST = 45;
const SIDE = 72;
const SMALL_SIDE = 24;
const MARGIN = 12;

/** Paints the table in the colours of the page. */
export function paintTable(
  { rows, quantity }: QPicture,
  actions: readonly string[],
): HTMLCanvasElement {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const columns = rows[0]?.length ?? 0;
  const side = columns > 12 ? SMALL_SIDE : SIDE;
  const canvas = document.createElement("canvas");
  canvas.width = (columns * side + 2 * MARGIN) * devicePixelRatio;
  canvas.height = (rows.length * side + 2 * MARGIN) * devicePixelRatio;
  const ctx = canvas.getContext("2d")!;
  ctx.scale(devicePixelRatio, devicePixelRatio);
  ctx.fillStyle = token("surface");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.textAlign = "center";
  const family = getComputedStyle(document.body).fontFamily;
  rows.forEach((row, y) =>
    row.forEach(({ shown, share, best, letter, terminal }, x) => {
      const [left, top] = [MARGIN + x * side, MARGIN + y * side];
      const strength = Math.round(share * STRONGEST);
      ctx.fillStyle = terminal
        ? token("rest-tint")
        : `color-mix(in oklab, ${token("accent")} ${strength}%, ${token("surface")})`;
      ctx.fillRect(left + 1, top + 1, side - 2, side - 2);
      ctx.strokeStyle = token("line");
      ctx.strokeRect(left + 1, top + 1, side - 2, side - 2);
      ctx.fillStyle = token("ink");
      const middle = left + side / 2;
      if (side === SMALL_SIDE || shown === null) {
        ctx.font = `11px ${family}`;
        const only = best.length === 1 ? sign(actions[best[0]!] ?? "").slice(0, 1) : "·";
        const text = shown === null ? (squareName(letter) ?? "") : only;
        ctx.fillText(side === SMALL_SIDE ? text.slice(0, 1) : text, middle, top + side / 2 + 4);
        return;
      }
      ctx.font = `600 18px ${family}`;
      const signs = best.map((action) => sign(actions[action] ?? String(action)));
      ctx.fillText(signs.slice(0, 2).join("").slice(0, 6), middle, top + side / 2);
      ctx.font = `11px ${family}`;
      ctx.fillText(shownAs(quantity, shown), middle, top + side / 2 + 18);
    }),
  );
  return canvas;
}
