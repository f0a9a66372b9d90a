"use client";

import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { explainAction } from "@/api/http";
import { sideBySideVideo } from "@/api/metrics";
import type { Run } from "@/api/types";
import { download, fileName } from "@/lib/download";
import { Button } from "@/ui/button";
import { toast } from "@/ui/toast";

interface DownloadVideoProps {
  /** Two runs, each with the evaluation whose video is shown. */
  pair: readonly { run: Run; evaluationId: string }[];
}

/** Downloads two videos beside each other as one. */
export function DownloadVideo({ pair }: DownloadVideoProps) {
  const name = `${fileName(...pair.map(({ run }) => run.name))}.mp4`;
  const { mutate, isPending } = useMutation({
    mutationFn: () => {
      const [first = "", second = ""] = pair.map(
        ({ run, evaluationId }) => `${run.id}/${evaluationId}`,
      );
      return sideBySideVideo(first, second);
    },
    onSuccess: (video: Blob) => download(name, video),
    onError: (error) =>
      toast({
        tone: "bad",
        title: "The video could not be made",
        description: explainAction(error),
        cause: "service",
      }),
  });
  return (
    <Button
      size="sm"
      needsService
      busy={isPending}
      icon={<Download aria-hidden className="size-3.5" />}
      title={pair.map(({ run }) => run.name).join(" beside ")}
      onClick={() => mutate()}
    >
      Download as one video
    </Button>
  );
}
