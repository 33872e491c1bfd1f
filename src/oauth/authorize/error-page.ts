import { createHash } from 'node:crypto';
import { escapeHtml } from '../../common/escape-html';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1.0625rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
code { overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; font-size: .875rem; opacity: .75; }
`;

/** Nothing but this page's own style; no frame, form or script. */
export const ERROR_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** What a person is told; all of it is escaped. */
export interface ErrorPage {
  title: string;
  text: string;
  /** For the app's makers. */
  detail?: string;
  requestId: string;
}

export function errorPage({ title, text, detail, requestId }: ErrorPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · External API</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${detail === undefined ? '' : `<p><code>${escapeHtml(detail)}</code></p>`}
</main>
<footer>Request id: <code>${escapeHtml(requestId)}</code></footer>
</body>
</html>
`;
}
