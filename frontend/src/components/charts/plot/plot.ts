import uPlot from "uplot";
import type { ChartModel, ChartSpec } from "../prepare/model";
import { plotOptions } from "./options";
import { readPalette, watchTheme } from "./palette";

export interface Plot {
  show(model: ChartModel): void;
  destroy(): void;
}

/** A uPlot that fills its element, follows the theme, and takes new data without being rebuilt. */
export function createPlot(
  element: HTMLElement,
  spec: ChartSpec,
  first: ChartModel,
  onCursor: (index: number | null) => void,
): Plot {
  const current = { palette: readPalette(element), model: first };
  const size = { width: element.clientWidth, height: element.clientHeight };
  const plot = new uPlot(
    plotOptions(spec, current, size, onCursor),
    first.data as uPlot.AlignedData,
    element,
  );
  const observer = new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = element;
    if (width > 0 && height > 0) plot.setSize({ width, height });
  });
  observer.observe(element);
  const unwatch = watchTheme(() => {
    current.palette = readPalette(element);
    plot.redraw();
  });
  return {
    show(model) {
      current.model = model;
      spec.series.forEach(({ look }, i) => {
        const drawn = plot.series[i + 1];
        if (drawn && look === "points") drawn.alpha = model.pointAlpha;
      });
      plot.setData(model.data as uPlot.AlignedData);
    },
    destroy() {
      unwatch();
      observer.disconnect();
      plot.destroy();
    },
  };
}
