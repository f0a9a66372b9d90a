import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";

/** The learning curve over seeds that a preset was measured with. It never changes: another curve has another id. */
export const measuredCurveQuery = (id: string) =>
  queryOptions({
    queryKey: ["measured-curve", id],
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/presets/curves/{curve_id}", { params: { path: { curve_id: id } }, signal }),
      ),
    staleTime: Infinity,
  });
