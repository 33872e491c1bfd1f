import type { ComponentChildren } from 'preact';

interface PageHeadProps {
  heading: string;
  /** One sentence on the purpose of the page. */
  description?: ComponentChildren;
  /** Link to the parent page. */
  parentLink?: { path: string; text: string };
  /** The page's primary action. */
  actionLink?: { path: string; text: string };
}

export function PageHead({ heading, description, parentLink, actionLink }: PageHeadProps) {
  return (
    <div class="page-head">
      <div>
        {parentLink && (
          <p class="eyebrow">
            <a href={parentLink.path}>{parentLink.text}</a>
          </p>
        )}
        <h1>{heading}</h1>
        {description !== undefined && <p class="about">{description}</p>}
      </div>
      {actionLink && (
        <a class="button" href={actionLink.path}>
          {actionLink.text}
        </a>
      )}
    </div>
  );
}
