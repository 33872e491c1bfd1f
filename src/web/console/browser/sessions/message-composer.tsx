import { useRef, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { SessionOpener } from '../content/content-opener';
import { explainCallError, RepeatableCall } from '../content/relayed-call';
import { ServiceError } from '../lib/api-client';

const IDLE_TEXT = 'Ctrl+Enter sends. The message is encrypted in this browser.';
const BUSY_TEXT = 'The agent is working: a message waits for it. Steer gives it to the agent now, if the agent can.';

/** As the service and the devices limit a message. */
const MAX_TEXT_LENGTH = 100_000;

interface MessageComposerProps {
  api: AccountApi;
  sessionId: string;
  opener: SessionOpener;
  /** Whether a message would wait for another one. */
  isBusy: boolean;
  onSent: () => void;
}

/** Message as it was encrypted once, so that a repeated call has the same body. */
interface Draft {
  text: string;
  body: { sealedContent: string; localId: string; waitMs: number };
}

/** How a message is sent, unless as usual. */
interface SendChoice {
  delivery?: { mode: 'queue' };
  ifBusy?: 'steer' | 'interrupt';
}

/** Sends messages that this browser encrypts: the service passes them on and can't read them. */
export function MessageComposer({ api, sessionId, opener, isBusy, onSent }: MessageComposerProps) {
  const [text, setText] = useState('');
  const [progress, setProgress] = useState('');
  const [problem, setProblem] = useState('');
  const [canQueue, setCanQueue] = useState(false);
  const draft = useRef<Draft | null>(null);
  const call = useRef(new RepeatableCall());

  const send = async (choice: SendChoice = {}): Promise<void> => {
    if (progress || !text.trim()) return;
    setProgress('Sending …');
    setProblem('');
    setCanQueue(false);
    try {
      if (draft.current?.text !== text) draft.current = await createDraft(text, opener);
      const path = `/v1/control/sessions/${sessionId}/messages`;
      await call.current.post(api, path, { ...draft.current.body, ...choice });
      draft.current = null;
      onSent();
      // What was typed meanwhile stays.
      setText((current) => (current === text ? '' : current));
      setProgress(choice.delivery ? 'Queued: it is sent when the device is online.' : '');
    } catch (error) {
      setProgress('');
      setProblem(formatSendProblem(error));
      setCanQueue(error instanceof ServiceError && error.code === 'no_online_device');
      return;
    }
    setTimeout(() => setProgress(''), choice.delivery ? 5_000 : 0);
  };

  const isSendable = progress === '' && text.trim() !== '';
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label>
        <span class="spoken">Message</span>
        <textarea
          rows={2}
          placeholder="Message the agent"
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
        <button disabled={!isSendable}>Send message</button>
        {isBusy && (
          <>
            <SendButton label="Steer" isEnabled={isSendable} onClick={() => void send({ ifBusy: 'steer' })} />
            <SendButton
              label="Interrupt and send"
              isEnabled={isSendable}
              onClick={() => void send({ ifBusy: 'interrupt' })}
            />
          </>
        )}
        {canQueue && (
          <SendButton label="Queue message" isEnabled onClick={() => void send({ delivery: { mode: 'queue' } })} />
        )}
        <small id="composer-hint" role="status">
          {progress || (isBusy ? BUSY_TEXT : IDLE_TEXT)}
        </small>
      </div>
    </form>
  );
}

function SendButton({ label, isEnabled, onClick }: { label: string; isEnabled: boolean; onClick: () => void }) {
  return (
    <button type="button" class="secondary" disabled={!isEnabled} onClick={onClick}>
      {label}
    </button>
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
