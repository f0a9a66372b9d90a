import type { CanvasSize, TokenColors } from "@/charts/canvas";
import { markOf, type Place, type WorldPicture } from "./world";

/** Sides of a cell, in pixels, from which its mark is written into it. */
const ROOM_FOR_MARK = 26;
/** Pixels between the walls of a room and its name. */
const NAME_MARGIN = 5;

/** The more often a cell was visited, the darker; over it the rooms, and the path of the newest policy. */
export function paintWorld(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  colors: TokenColors,
  drawn: WorldPicture,
  pointed: Place | null,
): void {
  const { world, shares, path, walls } = drawn;
  const { columns, rows } = world;
  // Cells end between pixels of the screen, or seams would show.
  const ratio = ctx.getTransform().a || 1;
  const edge = (place: number, count: number, size: number) =>
    Math.round(((place * size) / count) * ratio) / ratio;
  const box = ({ x, y }: Place) => {
    const [left, top] = [edge(x, columns, width), edge(y, rows, height)];
    return [
      left,
      top,
      edge(x + 1, columns, width) - left,
      edge(y + 1, rows, height) - top,
    ] as const;
  };
  ctx.fillStyle = colors.of("chart-mean");
  shares.forEach((share, id) => {
    if (share === null) return;
    ctx.globalAlpha = 0.06 + 0.84 * share;
    ctx.fillRect(...box({ x: id % columns, y: Math.floor(id / columns) }));
  });
  ctx.globalAlpha = 1;
  paintMarks(ctx, colors, drawn, box);
  ctx.strokeStyle = colors.of("control-line");
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  for (const column of walls.columns) {
    const x = edge(column, columns, width);
    ctx.moveTo(x, 0);
    ctx.lineTo(x, height);
  }
  for (const row of walls.rows) {
    const y = edge(row, rows, height);
    ctx.moveTo(0, y);
    ctx.lineTo(width, y);
  }
  ctx.stroke();
  paintFrontier(ctx, colors, drawn, box);
  paintRooms(ctx, { width, height }, colors, world);
  paintPath(ctx, colors, path, ({ x, y }) => [
    ((x + 0.5) * width) / columns,
    ((y + 0.5) * height) / rows,
  ]);
  if (!pointed) return;
  const [left, top, wide, high] = box(pointed);
  for (const [token, lineWidth] of [
    ["raised", 4],
    ["ink", 2],
  ] as const) {
    ctx.strokeStyle = colors.of(token);
    ctx.lineWidth = lineWidth;
    ctx.strokeRect(left, top, wide, high);
  }
}

type Box = (place: Place) => readonly [number, number, number, number];

/** Outlines the cells in which episodes begin most often. */
function paintFrontier(
  ctx: CanvasRenderingContext2D,
  colors: TokenColors,
  { frontier }: WorldPicture,
  box: Box,
): void {
  for (const place of frontier) {
    const [left, top, wide, high] = box(place);
    for (const [token, lineWidth] of [
      ["raised", 3.5],
      ["warn", 1.5],
    ] as const) {
      ctx.strokeStyle = colors.of(token);
      ctx.lineWidth = lineWidth;
      ctx.strokeRect(left + 1.5, top + 1.5, wide - 3, high - 3);
    }
  }
}

function paintMarks(
  ctx: CanvasRenderingContext2D,
  colors: TokenColors,
  { world }: WorldPicture,
  box: Box,
): void {
  ctx.font = colors.font;
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  for (let id = 0; id < world.marks.length; id++) {
    const place = { x: id % world.columns, y: Math.floor(id / world.columns) };
    const mark = markOf(world, place);
    const [left, top, wide, high] = box(place);
    if (mark === null || wide < ROOM_FOR_MARK) continue;
    const text = wide < 44 ? mark.slice(0, 1).toUpperCase() : mark;
    // In the corner: the path runs through the middle.
    write(ctx, colors, text, { x: left + NAME_MARGIN, y: top + high - NAME_MARGIN });
  }
}

/** Writes the name of each room into its corner, if all of them fit. */
function paintRooms(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  colors: TokenColors,
  { rooms, rooms_across, rooms_down }: WorldPicture["world"],
): void {
  ctx.font = colors.font;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  const room = width / rooms_across - 2 * NAME_MARGIN;
  if (rooms.some((name) => ctx.measureText(name).width > room)) return;
  rooms.forEach((name, place) =>
    write(ctx, colors, name, {
      x: ((place % rooms_across) * width) / rooms_across + NAME_MARGIN,
      y: (Math.floor(place / rooms_across) * height) / rooms_down + NAME_MARGIN,
    }),
  );
}

/** Writes text with an outline, so that it can be read on every colour. */
function write(
  ctx: CanvasRenderingContext2D,
  colors: TokenColors,
  text: string,
  { x, y }: Place,
): void {
  ctx.lineJoin = "round";
  ctx.strokeStyle = colors.of("raised");
  ctx.lineWidth = 3;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = colors.of("ink");
  ctx.fillText(text, x, y);
}

function paintPath(
  ctx: CanvasRenderingContext2D,
  colors: TokenColors,
  path: readonly Place[],
  middle: (place: Place) => [number, number],
): void {
  const [first, last] = [path[0], path.at(-1)];
  if (!first || !last) return;
  ctx.lineJoin = "round";
  for (const [token, lineWidth] of [
    ["raised", 4],
    ["ink", 1.5],
  ] as const) {
    ctx.strokeStyle = colors.of(token);
    ctx.lineWidth = lineWidth;
    ctx.beginPath();
    path.forEach((place, i) =>
      i === 0 ? ctx.moveTo(...middle(place)) : ctx.lineTo(...middle(place)),
    );
    ctx.stroke();
  }
  for (const [place, filled] of [
    [first, false],
    [last, true],
  ] as const) {
    ctx.beginPath();
    ctx.arc(...middle(place), 4, 0, 2 * Math.PI);
    ctx.fillStyle = colors.of(filled ? "ink" : "raised");
    ctx.fill();
    ctx.strokeStyle = colors.of("ink");
    ctx.lineWidth = 2;
    ctx.stroke();
  }
}
