import type { ComponentChild } from 'preact';

export interface PageOptions {
  /** Of the browser's tab, and of nothing else. */
  title: string;
  /** HTTP status; 200 unless given. */
  status?: number;
  /** A module of `browser/` that the page runs. */
  script?: string;
  /** Where the page's forms may lead besides this service: sources of the CSP directive `form-action`. */
  formAction?: readonly string[];
  /** Only a card in the middle: for what is done once and left again. */
  narrow?: boolean;
}

/** What a console handler answers: the content of `<main>` and how it is presented. */
export class Page {
  constructor(
    readonly content: ComponentChild,
    readonly options: PageOptions,
  ) {}
}

/** The other answer: the browser goes there by GET (303). */
export class SeeOther {
  constructor(readonly location: string) {}
}
