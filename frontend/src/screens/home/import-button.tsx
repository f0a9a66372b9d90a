import { FileInput } from "lucide-react";
import { Button } from "@/ui/button";

interface ImportButtonProps {
  size: "sm" | "lg";
  onClick: () => void;
}

/** Opens the dialog by which runs of other machines and other tools come in. */
export function ImportButton({ size, onClick }: ImportButtonProps) {
  return (
    <Button
      size={size}
      aria-haspopup="dialog"
      icon={<FileInput aria-hidden className={size === "lg" ? "size-4" : "size-3.5"} />}
      onClick={onClick}
    >
      Import…
    </Button>
  );
}
