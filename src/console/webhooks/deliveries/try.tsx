import { requestHeaders, type DeliveryWithLogRecord, type Told } from '../../../webhooks';
import { Badge } from '../../parts/badge';
import { Time } from '../../parts/time';
import { ERROR_WORDS } from './error-words';

type Attempt = DeliveryWithLogRecord['attemptLog'][number];

interface TryProps {
  attempt: Attempt;
  told: Told;
  url: string;
}

/** One try: what was sent, and what came of it. */
export function Try({ attempt, told, url }: TryProps) {
  const { at, durationMs, error } = attempt;
  return (
    <li class="card" data-key={at}>
      <p class="outcome">
        <Outcome attempt={attempt} />
        <Time at={at - durationMs} />
        <span>{`${durationMs} ms`}</span>
      </p>
      {error !== null && <p>{`${ERROR_WORDS[error].text}.`}</p>}
      {error !== null && ERROR_WORDS[error].unsent ? (
        <p class="none">Nothing was sent.</p>
      ) : (
        <Request url={url} headers={requestHeaders(told, at - durationMs)} />
      )}
      <Response attempt={attempt} />
    </li>
  );
}

function Outcome({ attempt: { status, error } }: { attempt: Attempt }) {
  const isGood = error === null && status !== null && status >= 200 && status < 300;
  return <Badge tone={isGood ? 'good' : 'bad'}>{status === null ? 'no answer' : String(status)}</Badge>;
}

function Request({ url, headers }: { url: string; headers: Record<string, string> }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details>
      <summary>Request headers</summary>
      <pre class="text" tabIndex={0}>
        {[`POST ${url}`, ...lines, 'webhook-signature: (not kept)'].join('\n')}
      </pre>
    </details>
  );
}

function Response({ attempt: { status, response } }: { attempt: Attempt }) {
  if (status === null) return null;
  if (!response) return <p class="none">The answer had no text.</p>;
  return (
    <>
      <h3>Answer</h3>
      <pre class="text" tabIndex={0}>
        {response}
      </pre>
    </>
  );
}
