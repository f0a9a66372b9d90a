import uPlot from "uplot";
import type { TokenColors } from "../plot/token-colors";
import { plotOptions } from "../plot/options";
import { setOpacities } from "../plot/plot";
import { drawMarks } from "../plot/overlays";
import type { ChartMark } from "../prepare/marks";
import type { ChartModel, ChartSpec } from "../prepare/model";

interface LargePlot {
  width: number;
  height: number;
  scale: number;
  colors: TokenColors;
  marks: readonly ChartMark[];
}

const nothing = () => {};

/** Draws the chart beside the page, `scale` times as large, and hands its canvas to `paint`. */
export function withLargePlot<T>(
  spec: ChartSpec,
  model: ChartModel,
  { width, height, scale, colors, marks }: LargePlot,
  paint: (canvas: HTMLCanvasElement) => T,
): Promise<T> {
  const current = { colors, model, highlight: null, scale };
  const size = { width: width * scale, height: height * scale };
  const options = plotOptions(spec, current, size, {
    cursor: nothing,
    zoom: nothing,
    reset: nothing,
  });
  return new Promise((resolve) => {
    options.hooks = {
      ...options.hooks,
      init: [(plot) => setOpacities(plot, spec, model, null)],
      draw: [
        (plot) => {
          drawMarks(plot, current, marks);
          resolve(paint(plot.ctx.canvas));
          plot.destroy();
        },
      ],
    };
    new uPlot(options, model.data as uPlot.AlignedData, document.createElement("div"));
  });
}
