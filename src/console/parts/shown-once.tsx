import type { ComponentChildren } from 'preact';
import { Copyable } from './copyable';

interface ShownOnceProps {
  heading: string;
  /** What the secret is, in its label. */
  label: string;
  secret: string;
  /** Where a reload leads, and the way on: a page without the secret. */
  next: { path: string; text: string };
  children?: ComponentChildren;
}

/** A secret at the only moment at which it can be shown. */
export function ShownOnce({ heading, label, secret, next, children }: ShownOnceProps) {
  return (
    <section class="card" data-leads-to={next.path}>
      <h1>{heading}</h1>
      <p class="notice">Copy it now. It is shown this once, and nobody can bring it back.</p>
      <Copyable text={secret} label={label} />
      {children}
      <p>
        <a class="button" href={next.path}>
          {next.text}
        </a>
      </p>
    </section>
  );
}
