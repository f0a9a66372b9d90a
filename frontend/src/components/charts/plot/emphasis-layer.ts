import type uPlot from "uplot";
import type { ChartSpec } from "../prepare/model";
import { layout } from "../prepare/rows";
import type { PlotState } from "./options";

export interface EmphasisLayer {
  /** Draws the line of this series over all others; null draws none. */
  show(id: string | null): void;
  destroy(): void;
}

const WIDTH = 3;
/** Width of the outline in the background's colour, which sets the line off from the others. */
const EDGE = 2;

/**
 * A canvas over the plot for the emphasised line. To redraw a hundred lines whenever the pointer crosses one
 * would take longer than a frame.
 */
export function createEmphasisLayer(
  plot: uPlot,
  spec: ChartSpec,
  current: PlotState,
): EmphasisLayer {
  const canvas = document.createElement("canvas");
  canvas.style.cssText = "position:absolute;inset:0;pointer-events:none";
  plot.over.prepend(canvas);

  return {
    show(id) {
      const { clientWidth: width, clientHeight: height } = plot.over;
      canvas.width = width * devicePixelRatio;
      canvas.height = height * devicePixelRatio;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      const row = layout(spec).findIndex(({ series, row }) => row === "line" && series.id === id);
      const ctx = canvas.getContext("2d");
      if (row < 0 || !ctx) return;
      ctx.scale(devicePixelRatio, devicePixelRatio);
      ctx.lineJoin = "round";
      const path = pathOf(plot, plot.data[row + 1]!);
      const strokes: [token: string, width: number][] = [
        ["surface", WIDTH + 2 * EDGE],
        [spec.series.find((one) => one.id === id)!.color, WIDTH],
      ];
      for (const [token, lineWidth] of strokes) {
        ctx.strokeStyle = current.colors.of(token);
        ctx.lineWidth = lineWidth;
        ctx.stroke(path);
      }
    },
    destroy: () => canvas.remove(),
  };
}

function pathOf(plot: uPlot, values: uPlot.AlignedData[number]): Path2D {
  const path = new Path2D();
  let drawing = false;
  plot.data[0].forEach((x, i) => {
    const value = values[i];
    if (value === undefined) return;
    if (value === null) {
      drawing = false;
      return;
    }
    const [left, top] = [plot.valToPos(x, "x"), plot.valToPos(value, "y")];
    if (drawing) path.lineTo(left, top);
    else path.moveTo(left, top);
    drawing = true;
  });
  return path;
}
