/** See `root-path.mjs`. */
export const ROOT_PLACEHOLDER: string;
