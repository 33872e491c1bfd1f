import type { ComponentChildren } from 'preact';
import { Copyable } from './copyable';

interface OneTimeSecretProps {
  heading: string;
  /** What the secret is, such as "Client secret of Notes". */
  label: string;
  secret: string;
  /** Page without the secret: the target of the button and of a reload. */
  nextLink: { path: string; text: string };
  children?: ComponentChildren;
}

/** Shows a new secret. It cannot be shown again. */
export function OneTimeSecret({ heading, label, secret, nextLink, children }: OneTimeSecretProps) {
  return (
    <section class="card" data-leads-to={nextLink.path}>
      <h1>{heading}</h1>
      <p class="notice">Copy it now. You won’t be able to see it again.</p>
      <h2>{label}</h2>
      <Copyable text={secret} label={label} />
      {children}
      <p>
        <a class="button" href={nextLink.path}>
          {nextLink.text}
        </a>
      </p>
    </section>
  );
}
