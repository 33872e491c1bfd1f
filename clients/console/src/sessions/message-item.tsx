import { useContext, useMemo, useState } from 'preact/hooks';
import { Badge } from '@external-api/pages';
import { truncateText } from '@external-api/protocol/portable';
import { DiffView } from '../components/diff-view';
import { RelativeTime } from '../components/elements';
import { ArtifactAddress, Markdown, PlainText } from '../rich-text/markdown';
import { TerminalOutput } from '../rich-text/terminal-output';
import { showInvisibleCharacters } from '../lib/visible-text';
import type { AttachedArtifact, OpenedMessage, ToolCall } from './opened-message';

/** Longer text is cut until the reader asks for all of it. */
const SHORT_LENGTH = 8_000;
const KILOBYTE = 1_000;

const AUTHORS: Record<OpenedMessage['role'], string> = {
  user: 'You',
  assistant: 'Agent',
  system: 'Device',
  tool: 'Tool',
};

/** One message of a session. */
export function MessageItem({ message }: { message: OpenedMessage }) {
  const { role, body, createdAt, seq } = message;
  return (
    <li class={`message ${role}`} data-seq={seq}>
      <p class="byline">
        <strong>{AUTHORS[role]}</strong> <RelativeTime at={createdAt} />
      </p>
      {body.kind === 'text' && <LongText text={body.text} isMarkdown={role === 'assistant'} />}
      {body.kind === 'text' && body.files && <SentFiles files={body.files} />}
      {body.kind === 'tool' && <ToolCallDetails toolCall={body.toolCall} />}
      {body.kind === 'binary' && (
        <p class="none">{`${showInvisibleCharacters(body.mediaType)}, ${body.size.toLocaleString()} bytes`}</p>
      )}
      {body.kind === 'unreadable' && <p class="notice problem">{`This message can’t be shown. ${body.reason}`}</p>}
    </li>
  );
}

function SentFiles({ files }: { files: readonly AttachedArtifact[] }) {
  const findAddress = useContext(ArtifactAddress);
  return (
    <ul class="sent-files" aria-label="Files">
      {files.map(({ name, tag }) => {
        const address = findAddress(tag);
        const shown = <bdi>{showInvisibleCharacters(name)}</bdi>;
        return <li>{address === null ? shown : <a href={address}>{shown}</a>}</li>;
      })}
    </ul>
  );
}

export function LongText({ text, isMarkdown = false }: { text: string; isMarkdown?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > SHORT_LENGTH;
  const shown = useMemo(
    () => showInvisibleCharacters(isCut ? `${truncateText(text, SHORT_LENGTH)} …` : text),
    [text, isCut],
  );
  return (
    <>
      {isMarkdown ? <Markdown text={shown} /> : <PlainText text={shown} />}
      {isCut && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          {`Show all (${Math.ceil(text.length / KILOBYTE).toLocaleString()} kB)`}
        </button>
      )}
    </>
  );
}

/** A tool call is folded: what it was is its summary. One that runs shows its output so far. */
export function ToolCallDetails({ toolCall, isRunning = false }: { toolCall: ToolCall; isRunning?: boolean }) {
  const { title, kind, status, output, exitCode, diff } = toolCall;
  return (
    <details class="tool-call" open={isRunning}>
      <summary>
        <code dir="auto">{showInvisibleCharacters(title)}</code>{' '}
        {kind && <small>{showInvisibleCharacters(kind)}</small>}{' '}
        {status && !isRunning && (
          <Badge tone={status === 'failed' ? 'bad' : 'quiet'}>{showInvisibleCharacters(status)}</Badge>
        )}{' '}
        {exitCode !== null && exitCode !== 0 && <small>{`exit code ${exitCode}`}</small>}
      </summary>
      {diff && <DiffView diff={showInvisibleCharacters(diff)} />}
      {output && <TerminalOutput text={output} label="Output" />}
      {!diff && !output && <p class="none">{isRunning ? 'No output yet' : 'No output'}</p>}
    </details>
  );
}
