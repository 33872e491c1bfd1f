import type { ComponentChildren } from 'preact';

/** A list that holds nothing yet, and the next step. */
export function Empty({ heading, children }: { heading: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{heading}</h2>
      {children}
    </div>
  );
}
