"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError } from "@/api/http";
import { StreamProvider } from "@/stream/provider";

const RETRIES = 2;

/** Retry when the service did not respond or failed (5xx); a refusal would be repeated. */
function worthRetrying(failures: number, error: Error): boolean {
  if (error instanceof ApiError && error.status >= 400 && error.status < 500) return false;
  return failures < RETRIES;
}

export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: {
            retry: worthRetrying,
            staleTime: 10_000,
            networkMode: "always",
          },
          mutations: { networkMode: "always" },
        },
      }),
  );
  return (
    <QueryClientProvider client={client}>
      <StreamProvider>{children}</StreamProvider>
    </QueryClientProvider>
  );
}
