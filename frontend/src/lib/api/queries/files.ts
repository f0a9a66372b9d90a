import { apiLink } from "../base";
import { fetchFile } from "../http";
import { ApiError } from "../problem";

/** Whether the service says that there is no file at `url`; a service that does not answer says nothing. */
export async function isFileGone(url: string): Promise<boolean> {
  try {
    const first = { headers: { range: "bytes=0-0" }, cache: "no-store" } as const;
    const response = await fetchFile(new Request(apiLink(url), first));
    await response.body?.cancel();
    return false;
  } catch (error) {
    return error instanceof ApiError && error.isNotFound;
  }
}
