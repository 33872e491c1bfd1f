import { useRef, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { SessionOpener } from '../content/content-opener';
import { explainCallError, RepeatableCall } from '../content/relayed-call';
import { ServiceError } from '../lib/api-client';

/** As the service and the devices limit a message. */
const MAX_TEXT_LENGTH = 100_000;

interface MessageComposerProps {
  api: AccountApi;
  sessionId: string;
  opener: SessionOpener;
}

/** Message as it was encrypted once, so that a repeated call has the same body. */
interface Draft {
  text: string;
  body: { sealedContent: string; localId: string; waitMs: number };
}

/** Sends messages that this browser encrypts: the service passes them on and can't read them. */
export function MessageComposer({ api, sessionId, opener }: MessageComposerProps) {
  const [text, setText] = useState('');
  const [progress, setProgress] = useState('');
  const [problem, setProblem] = useState('');
  const [canQueue, setCanQueue] = useState(false);
  const draft = useRef<Draft | null>(null);
  const call = useRef(new RepeatableCall());

  const send = async (delivery?: { mode: 'queue' }): Promise<void> => {
    if (progress || !text.trim()) return;
    setProgress('Sending …');
    setProblem('');
    setCanQueue(false);
    try {
      if (draft.current?.text !== text) draft.current = await createDraft(text, opener);
      const path = `/v1/control/sessions/${sessionId}/messages`;
      await call.current.post(api, path, { ...draft.current.body, ...(delivery && { delivery }) });
      draft.current = null;
      // What was typed meanwhile stays.
      setText((current) => (current === text ? '' : current));
      setProgress(delivery ? 'Queued: it is sent when the device is online.' : '');
    } catch (error) {
      setProgress('');
      setProblem(formatSendProblem(error));
      setCanQueue(error instanceof ServiceError && error.code === 'no_online_device');
      return;
    }
    setTimeout(() => setProgress(''), delivery ? 5_000 : 0);
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label>
        Message
        <textarea
          rows={3}
          maxLength={MAX_TEXT_LENGTH}
          value={text}
          aria-describedby="composer-hint"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void send();
          }}
        />
      </label>
      <Problem text={problem} />
      <div class="acts">
        <button disabled={progress !== '' || !text.trim()}>Send message</button>
        {canQueue && (
          <button type="button" class="secondary" onClick={() => void send({ mode: 'queue' })}>
            Queue message
          </button>
        )}
        <small id="composer-hint" role="status">
          {progress || 'Ctrl+Enter sends. The message is encrypted in this browser.'}
        </small>
      </div>
    </form>
  );
}

async function createDraft(text: string, opener: SessionOpener): Promise<Draft> {
  const localId = `web-${crypto.randomUUID()}`;
  const sealedContent = await opener.sealUserMessage(text, localId);
  return { text, body: { sealedContent, localId, waitMs: 0 } };
}

function formatSendProblem(error: unknown): string {
  if (error instanceof ServiceError && error.code === 'no_online_device') {
    return (
      'The device of this session is offline, or too old for encrypted messages. ' +
      'Queue the message, or try again later.'
    );
  }
  return explainCallError(
    error,
    'It is not known whether the message arrived. Look at the messages before you send it again.',
  );
}
