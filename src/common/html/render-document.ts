import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Styles of `HtmlLayout` and of the elements that all pages use. */
export const BASE_STYLESHEET = readFileSync(join(__dirname, 'base.css'), 'utf8');

/**
 * Applies the theme that the user has chosen in this browser (clients/console/src/lib/theme.ts). Pages load it in their
 * head, not deferred, so that nothing is painted in the other theme. A browser may forbid access to the storage.
 */
export const THEME_SCRIPT = `try {
  const theme = localStorage.getItem('external-api-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {}
`;

/** Renders a whole document, whose root is an `HtmlLayout`. The renderer escapes every text. */
export function renderDocument(root: VNode): string {
  return `<!doctype html>\n${renderToString(root)}\n`;
}
