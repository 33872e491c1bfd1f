import type { ComponentChildren } from 'preact';

interface PageHeadProps {
  heading: string;
  /** What the page is for, in a sentence. */
  about?: ComponentChildren;
  /** Where this is a part of something. */
  up?: { path: string; text: string };
  /** The page's main act. */
  act?: { path: string; text: string };
}

export function PageHead({ heading, about, up, act }: PageHeadProps) {
  return (
    <div class="page-head">
      <div>
        {up && (
          <p class="eyebrow">
            <a href={up.path}>{up.text}</a>
          </p>
        )}
        <h1>{heading}</h1>
        {about !== undefined && <p class="about">{about}</p>}
      </div>
      {act && (
        <a class="button" href={act.path}>
          {act.text}
        </a>
      )}
    </div>
  );
}
