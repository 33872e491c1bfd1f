import { useLayoutEffect, useRef } from 'preact/hooks';
import { tokenizeCode } from '@external-api/pages';
import { offerCopying } from '../lib/enhancements';
import { useFold } from './use-fold';

/** Lines of code that are shown until the reader asks for all. */
const SHORT_LINES = 40;

/** @param language first word behind the fence, or the ending of a file name */
export function HighlightedCode({ code, language }: { code: string; language: string }) {
  return (
    <>{tokenizeCode(code, language).map(({ text, kind }) => (kind ? <span class={`t-${kind}`}>{text}</span> : text))}</>
  );
}

/** Code of an agent with its colors and a button that copies all of it. Long code is folded. */
export function FencedCode({ code, language }: { code: string; language: string }) {
  const figure = useRef<HTMLElement>(null);
  const lines = code.trimEnd().split('\n');
  const fold = useFold(lines.length, SHORT_LINES);
  useLayoutEffect(() => offerCopying(figure.current!), []);
  const name = /^[\w.+#-]{1,20}/.exec(language)?.[0] ?? '';
  return (
    <figure class="code-block" ref={figure} dir="ltr">
      <figcaption>
        <span>{name || 'Text'}</span>
        <button type="button" class="copy" data-copy={code} hidden>
          Copy
        </button>
      </figcaption>
      <pre tabIndex={0} aria-label={name ? `Code, ${name}` : 'Code'}>
        <code>
          <HighlightedCode code={lines.slice(0, fold.count).join('\n')} language={name.toLowerCase()} />
        </code>
      </pre>
      {fold.button}
    </figure>
  );
}
