"use client";

import { Component, type ReactNode } from "react";
import { Button } from "./button";
import { Notice } from "./notice";

interface BoundaryProps {
  /** Subject of the error message's sentence, for instance "The evaluation". */
  what: string;
  children: ReactNode;
}

/**
 * Error boundary: when its children throw while rendering, it shows an error in their place, and the rest of
 * the page works on.
 */
export class Boundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Notice tone="bad" role="alert" title={`${this.props.what} could not be shown`}>
        <p className="break-words text-ink-soft">{error.message}</p>
        <Button size="sm" className="mt-2" onClick={() => this.setState({ error: null })}>
          Show it again
        </Button>
      </Notice>
    );
  }
}
