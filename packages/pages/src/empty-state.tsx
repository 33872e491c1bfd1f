import type { ComponentChildren } from 'preact';

/** Placeholder of an empty list that names the next step. */
export function EmptyState({ heading, children }: { heading: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{heading}</h2>
      {children}
    </div>
  );
}
