import { escapeHtml } from '../../../common/escape-html';
import { tokenizeCode } from '@external-api/pages';

export interface CodeBlock {
  language: string;
  code: string;
}

const LANGUAGE_LABELS: Record<string, string> = {
  sh: 'Shell',
  bash: 'Shell',
  json: 'JSON',
  js: 'JavaScript',
  mjs: 'JavaScript',
  ts: 'TypeScript',
  python: 'Python',
  py: 'Python',
  go: 'Go',
  http: 'HTTP',
  yaml: 'YAML',
};

/** Languages of a tab group, in the words of its tabs. */
const TAB_LABELS: Record<string, string> = { sh: 'curl', js: 'JavaScript', python: 'Python', go: 'Go' };

export const isTabLanguage = (language: string) => Object.hasOwn(TAB_LABELS, language);

const COPY_BUTTON = '<button type="button" class="copy" data-copy="" hidden>Copy</button>';

/** Renders code with its colors and a copy button, which a script shows. @param label defaults to the language */
export function renderCodeBlock({ language, code }: CodeBlock, label = LANGUAGE_LABELS[language] ?? 'Text'): string {
  const html = tokenizeCode(code, language)
    .map(({ text, kind }) => (kind ? `<span class="t-${kind}">${escapeHtml(text)}</span>` : escapeHtml(text)))
    .join('');
  return `<figure class="code" data-language="${escapeHtml(language)}">
<figcaption><span>${escapeHtml(label)}</span>${COPY_BUTTON}</figcaption>
<pre><code>${html}</code></pre>
</figure>`;
}

/** Renders the same sample in several languages. A script turns the blocks into tabs; without it, all are visible. */
export function renderTabGroup(blocks: readonly CodeBlock[]): string {
  return `<div class="tabs">
${blocks.map((block) => renderCodeBlock(block, TAB_LABELS[block.language])).join('\n')}
</div>`;
}
