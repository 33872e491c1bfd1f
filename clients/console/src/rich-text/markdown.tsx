import type { MarkedToken, Token, Tokens } from 'marked';
import { createContext, type ComponentChild, type ComponentChildren } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { FencedCode } from './code-block';

const LINK_PROTOCOLS = ['http:', 'https:', 'mailto:'];

/** Splits Markdown into tokens (markdown-lexer.ts). Null until it has loaded: text is then shown as it was written. */
export const MarkdownLexer = createContext<((text: string) => Token[] | null) | null>(null);

/** Returns the address of the artifact that a message names by its tag, or null if it isn't known. */
export const ArtifactAddress = createContext<(tag: string) => string | null>(() => null);

/**
 * Markdown of an agent, as elements: nothing of it is treated as HTML, and nothing is loaded from elsewhere.
 * @param text without invisible characters
 */
export function Markdown({ text }: { text: string }) {
  const lexMarkdown = useContext(MarkdownLexer);
  const tokens = useMemo(() => lexMarkdown?.(text), [lexMarkdown, text]);
  const findAddress = useContext(ArtifactAddress);
  if (!tokens) return <PlainText text={text} />;
  return <div class="body markdown">{renderTokens(tokens, findAddress)}</div>;
}

/** Text as it was written. */
export function PlainText({ text }: { text: string }) {
  return (
    <div class="body plain" dir="auto">
      {text}
    </div>
  );
}

type FindAddress = (tag: string) => string | null;

const renderTokens = (tokens: readonly Token[], findAddress: FindAddress): ComponentChildren =>
  tokens.map((token) => renderToken(token as MarkedToken, findAddress));

function renderToken(token: MarkedToken, findAddress: FindAddress): ComponentChild {
  const render = (tokens: readonly Token[]) => renderTokens(tokens, findAddress);
  switch (token.type) {
    case 'heading':
      // Not a heading of the page.
      return (
        <p class={`heading level-${token.depth}`} dir="auto">
          {render(token.tokens)}
        </p>
      );
    case 'paragraph':
      return <p dir="auto">{render(token.tokens)}</p>;
    case 'code':
      return <FencedCode code={token.text} language={token.lang ?? ''} />;
    case 'blockquote':
      return <blockquote>{render(token.tokens)}</blockquote>;
    case 'list':
      return <List list={token} renderTokens={render} />;
    case 'table':
      return <Table table={token} renderTokens={render} />;
    case 'hr':
      return <hr />;
    case 'strong':
      return <strong>{render(token.tokens)}</strong>;
    case 'em':
      return <em>{render(token.tokens)}</em>;
    case 'del':
      return <del>{render(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return (
        <Link href={token.href} text={token.text} findArtifact={findAddress}>
          {render(token.tokens)}
        </Link>
      );
    case 'image':
      return (
        <Link href={token.href} text="" findArtifact={findAddress}>{`Image: ${token.text || 'without a name'}`}</Link>
      );
    case 'text':
      return token.tokens ? render(token.tokens) : token.text;
    case 'escape':
      return token.text;
    // The target of links elsewhere in the text.
    case 'def':
    case 'space':
      return null;
    // Tags are text, and lists contain their items.
    case 'html':
    case 'list_item':
      return token.raw;
  }
}

type RenderTokens = (tokens: readonly Token[]) => ComponentChildren;

function List({ list, renderTokens: render }: { list: Tokens.List; renderTokens: RenderTokens }) {
  const items = list.items.map(({ tokens, loose, task, checked }) => (
    <li dir="auto">
      {task && (checked ? '☑ ' : '☐ ')}
      {render(loose ? tokens.map(toParagraph) : tokens)}
    </li>
  ));
  return list.ordered ? <ol start={list.start === '' ? undefined : list.start}>{items}</ol> : <ul>{items}</ul>;
}

/** The lexer calls the paragraphs of an item text. */
const toParagraph = (token: Token): Token => (token.type === 'text' ? { ...token, type: 'paragraph' } : token);

function Table({ table, renderTokens: render }: { table: Tokens.Table; renderTokens: RenderTokens }) {
  const renderCells = (cells: readonly Tokens.TableCell[]) =>
    cells.map(({ header, tokens, align }) =>
      header ? (
        <th scope="col" dir="auto" class={align ?? undefined}>
          {render(tokens)}
        </th>
      ) : (
        <td dir="auto" class={align ?? undefined}>
          {render(tokens)}
        </td>
      ),
    );
  return (
    <div class="wide" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>{renderCells(table.header)}</tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr>{renderCells(row)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LinkProps {
  href: string;
  /** What the agent has written for it. */
  text: string;
  /** Returns the address of an artifact by its tag, or null. */
  findArtifact: (tag: string) => string | null;
  children: ComponentChildren;
}

/**
 * Link of an agent. It names the host that it leads to, unless its text does. A target that isn't a web page, an email
 * address or an artifact is shown as text.
 */
function Link({ href, text, findArtifact, children }: LinkProps) {
  const tag = /^artifact:(.+)$/.exec(href)?.[1];
  if (tag !== undefined) {
    const address = findArtifact(tag);
    return address === null ? <>{children}</> : <a href={address}>{children}</a>;
  }
  const target = readTarget(href);
  if (!target)
    return (
      <>
        {children}
        {text !== href && <code class="target">{href}</code>}
      </>
    );
  const host = target.protocol === 'mailto:' ? target.pathname : target.host;
  return (
    <>
      <a href={target.href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {!doesTextName(text, host) && <small class="target">{host}</small>}
    </>
  );
}

function readTarget(href: string): URL | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return LINK_PROTOCOLS.includes(url.protocol) ? url : null;
}

/** Whether the text begins with the host, so that it doesn't pass for another one. */
function doesTextName(text: string, host: string): boolean {
  const name = text.replace(/^(https?:\/\/|mailto:)/, '');
  return name.startsWith(host) && /^($|[/?#])/.test(name.slice(host.length));
}
