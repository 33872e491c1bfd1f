import { Badge } from '@external-api/pages';
import { showInvisibleCharacters } from '../lib/visible-text';
import { Markdown, PlainText } from '../rich-text/markdown';
import type { LiveText } from './live-text';
import { LongText, ToolCallDetails } from './message-item';
import { readToolCall } from './opened-message';

const LABELS: Record<LiveText['kind'], [author: string, label: string]> = {
  message: ['Agent', 'writing'],
  thought: ['Agent', 'thinking'],
  tool: ['Tool', 'running'],
  plan: ['Agent', 'plan'],
};

const STEP_LABELS: Record<string, string> = { in_progress: 'now', completed: 'done' };

/** What the agent is writing or doing. The stored message replaces it, unless none is stored. */
export function LiveItem({ live }: { live: LiveText }) {
  const { kind, text } = live;
  const [author, label] = LABELS[kind];
  const isFinished = kind === 'tool' && /^(completed|failed)$/.test(readStatus(text));
  return (
    <li class={`message ${kind === 'tool' ? 'tool' : 'assistant'} writing`}>
      <p class="byline">
        <strong>{author}</strong> {!isFinished && <Badge tone={kind === 'plan' ? 'quiet' : 'good'}>{label}</Badge>}
      </p>
      {kind === 'tool' && <LiveToolCall text={text} isRunning={!isFinished} />}
      {kind === 'plan' && <Plan text={text} />}
      {kind === 'message' && <Markdown text={readShownText(live)} />}
      {kind === 'thought' && <Thought text={readShownText(live)} />}
    </li>
  );
}

const readShownText = ({ text, isIncomplete }: LiveText): string =>
  `${isIncomplete ? '… ' : ''}${showInvisibleCharacters(text)}`;

/** Folded to its last line. */
function Thought({ text }: { text: string }) {
  return (
    <details class="thought">
      <summary dir="auto">{text.trimEnd().split('\n').at(-1)}</summary>
      <PlainText text={text} />
    </details>
  );
}

function LiveToolCall({ text, isRunning }: { text: string; isRunning: boolean }) {
  const body = readToolCall(text);
  return body.kind === 'tool' ? (
    <ToolCallDetails toolCall={body.toolCall} isRunning={isRunning} />
  ) : (
    <LongText text={text} />
  );
}

function readStatus(text: string): string {
  const body = readToolCall(text);
  return body.kind === 'tool' ? body.toolCall.status : '';
}

function Plan({ text }: { text: string }) {
  const { entries, omitted } = readPlan(text);
  return (
    <ol class="plan">
      {entries.map(({ content, status }, index) => (
        <li key={index}>
          <span dir="auto">{showInvisibleCharacters(content)}</span>{' '}
          {STEP_LABELS[status] && <Badge tone={status === 'completed' ? 'quiet' : 'good'}>{STEP_LABELS[status]}</Badge>}
        </li>
      ))}
      {omitted > 0 && <li class="none">{`${omitted.toLocaleString()} more`}</li>}
    </ol>
  );
}

/** Reads JSON of any device: entries of another form are left out. */
function readPlan(text: string): { entries: { content: string; status: string }[]; omitted: number } {
  try {
    const { entries, omitted } = (JSON.parse(text) ?? {}) as Record<string, unknown>;
    const list = (Array.isArray(entries) ? entries : []) as ({ content?: unknown; status?: unknown } | null)[];
    const known = list.flatMap((entry) =>
      typeof entry?.content === 'string' ? [{ content: entry.content, status: String(entry.status) }] : [],
    );
    return { entries: known, omitted: typeof omitted === 'number' ? omitted : 0 };
  } catch {
    return { entries: [], omitted: 0 };
  }
}
