import type { ComponentChild } from 'preact';
import type { PagePolicy } from './page-headers';

export interface HtmlPageOptions extends PagePolicy {
  /** Title of the browser tab. */
  title: string;
  /** HTTP status; defaults to 200. */
  status?: number;
  /** Module of `browser/` that the page loads. */
  script?: string;
  /** Stylesheet of `assets/` that the page loads besides `console.css`. */
  stylesheet?: string;
  /** Shows a single centred card without navigation. */
  isNarrow?: boolean;
}

/** Page returned by a console handler: the content of `<main>` and its options. */
export class HtmlPage {
  constructor(
    readonly content: ComponentChild,
    readonly options: HtmlPageOptions,
  ) {}
}

/** Redirect returned by a console handler (303, followed by GET). */
export class SeeOther {
  constructor(readonly location: string) {}
}
