import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Styles of `HtmlLayout` and of the elements that all pages use. */
export const BASE_STYLESHEET = readFileSync(join(__dirname, 'base.css'), 'utf8');

/** Renders a whole document, whose root is an `HtmlLayout`. The renderer escapes every text. */
export function renderDocument(root: VNode): string {
  return `<!doctype html>\n${renderToString(root)}\n`;
}
