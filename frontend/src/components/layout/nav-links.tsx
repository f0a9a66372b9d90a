"use client";

import clsx from "clsx";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { destinations } from "./navigation";

interface NavLinksProps {
  label: string;
  className: string;
  linkClass: string;
  currentClass: string;
  otherClass: string;
  iconClass: string;
}

/** One list of destinations, dressed by the place it stands in. */
export function NavLinks({
  label,
  className,
  linkClass,
  currentClass,
  otherClass,
  iconClass,
}: NavLinksProps) {
  const path = usePathname();
  return (
    <nav aria-label={label} className={className}>
      {destinations.map(({ href, label: text, icon: Icon, owns }) => (
        <Link
          key={href}
          href={href}
          aria-current={owns(path) ? "page" : undefined}
          className={clsx(linkClass, owns(path) ? currentClass : otherClass)}
        >
          <Icon aria-hidden className={iconClass} />
          {text}
        </Link>
      ))}
    </nav>
  );
}
