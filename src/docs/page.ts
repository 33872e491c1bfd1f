import { escapeHtml } from '../common/escape-html';

/** A page of the guide: its place in the address, and its name in the navigation. */
export interface GuidePage {
  slug: string;
  title: string;
}

export const GUIDE: readonly GuidePage[] = [
  { slug: 'getting-started', title: 'Getting started' },
  { slug: 'authentication', title: 'Authentication' },
  { slug: 'oauth', title: 'OAuth for apps' },
  { slug: 'console', title: 'Console' },
  { slug: 'relay', title: 'Relayed calls' },
  { slug: 'errors', title: 'Errors' },
  { slug: 'limits', title: 'Limits' },
  { slug: 'encryption', title: 'Encryption' },
  { slug: 'webhooks', title: 'Webhooks' },
];

const REFERENCE: GuidePage = { slug: 'reference', title: 'API reference' };

/** The frame around every page. `content` is HTML of ours, `head` what a page needs beyond the stylesheet. */
export function renderPage(page: GuidePage, content: string, head = ''): string {
  const links = [...GUIDE, REFERENCE]
    .map(({ slug, title }) => {
      const current = slug === page.slug ? ' aria-current="page"' : '';
      return `<li><a href="/docs/${slug}"${current}>${escapeHtml(title)}</a></li>`;
    })
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · External API</title>
${head}<link rel="stylesheet" href="/docs/assets/docs.css">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><a class="brand" href="/docs">External API</a></header>
<div class="frame">
<nav aria-label="Documentation"><ul>${links}</ul></nav>
<main id="content">${content}</main>
</div>
</body>
</html>
`;
}

export function referencePage(): string {
  const head = '<link rel="stylesheet" href="/docs/assets/swagger-ui.css">\n';
  const scripts = ['swagger-ui-bundle.js', 'reference.js']
    .map((file) => `<script src="/docs/assets/${file}" defer></script>`)
    .join('');
  return renderPage(REFERENCE, `<div id="reference"></div>${scripts}`, head);
}
