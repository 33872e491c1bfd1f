/** A page of the console's navigation: its name in console.md, and its address. */
export interface NavPage {
  name: string;
  path: string;
}

/** Those that there are, in the order of console.md; a page that comes adds itself here. */
export const NAV: readonly NavPage[] = [];
