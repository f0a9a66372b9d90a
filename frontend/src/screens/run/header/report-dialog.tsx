"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Clapperboard, Download } from "lucide-react";
import { useState } from "react";
import { explainAction } from "@/api/http";
import { filmForReport, reportFilmQuery, reportLink } from "@/api/report";
import { whyNotTrusted } from "@/api/run-availability";
import type { ReportFilm, RunDetail } from "@/api/types";
import { follow } from "@/lib/download";
import { count, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Progress } from "@/ui/progress";
import { Switch } from "@/ui/switch";

interface ReportDialogProps {
  run: RunDetail;
  onClose: () => void;
}

/** Downloads a run as one HTML file. Policies without a video are filmed first, if the user chooses that. */
export function ReportDialog({ run, onClose }: ReportDialogProps) {
  const client = useQueryClient();
  const [withFilm, setWithFilm] = useState(true);
  const [closing] = useState(() => new AbortController());
  const query = reportFilmQuery(run.id);
  const { data: film, isPending } = useQuery(query);
  const close = () => {
    closing.abort();
    onClose();
  };
  const download = () => {
    const { address, name } = reportLink(run.id, { film: withFilm });
    follow(address, name);
    close();
  };
  const request = useMutation({
    mutationFn: () =>
      filmForReport(run.id, closing.signal, (state) => client.setQueryData(query.queryKey, state)),
    onSuccess: ({ cause }) => {
      if (cause === null) download();
    },
  });
  const filming = request.isPending;
  const cause = request.data?.cause ?? null;
  const missing = film ? film.moments - film.ready : 0;
  const whyNot = whyNotTrusted(run);
  const films = withFilm && missing > 0 && whyNot === null;
  return (
    <Dialog
      open
      onOpenChange={close}
      size="sm"
      title="Report"
      description="The run as one HTML file to send to others. It opens in any browser, also without a network."
      footer={
        filming ? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button onClick={download}>Download what is filmed</Button>
          </>
        ) : (
          <>
            {films && (
              <Button needsService onClick={download}>
                Download now
              </Button>
            )}
            <Button
              variant="primary"
              needsService
              // What it does depends on what is filmed.
              disabled={withFilm && isPending}
              icon={
                films ? (
                  <Clapperboard aria-hidden className="size-3.5" />
                ) : (
                  <Download aria-hidden className="size-3.5" />
                )
              }
              onClick={() => (films ? request.mutate() : download())}
            >
              {films ? "Film and download" : "Download"}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <Switch
          label="With a film of the policies"
          checked={withFilm}
          disabled={filming}
          onChange={setWithFilm}
        />
        {withFilm && film && !filming && <p className="text-ink-soft">{filmText(film, whyNot)}</p>}
        {filming && film && (
          <div role="status" className="flex flex-col gap-1.5">
            <Progress
              share={film.moments === 0 ? 0 : (film.moments - film.waiting) / film.moments}
              label="Filming the policies"
            />
            <p className="text-ink-soft tabular-nums">
              Filming: {count(film.moments - film.waiting)} of{" "}
              {plural(film.moments, "policy", "policies")}. The download starts automatically.
            </p>
          </div>
        )}
        {withFilm && cause !== null && !filming && (
          <p role="alert" className="text-bad">
            {cause}
          </p>
        )}
        {request.error && (
          <p role="alert" className="text-bad">
            {explainAction(request.error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** The content of the film, or why some of it is missing. */
function filmText({ moments, ready }: ReportFilm, whyNot: string | null): string {
  if (moments === 0) return "It keeps no policies to film; videos of its evaluations are shown.";
  if (ready === moments) return `${plural(moments, "policy is", "policies are")} filmed.`;
  const state = `${count(ready)} of ${plural(moments, "policy is", "policies are")} filmed.`;
  return `${state} ${whyNot ?? "Filming takes a few seconds for each."}`;
}
