import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { SessionOpener } from '../content/content-opener';
import { explainCallError, RepeatableCall } from '../content/relayed-call';
import { findFileProblem, sealMessage, type SealedMessage } from '../content/sealed-message';
import { ServiceError } from '../lib/api-client';
import { AttachedFiles, useDroppedFiles } from './attached-files';

const IDLE_TEXT = 'Ctrl+Enter sends, encrypted in this browser.';
const BUSY_TEXT = 'A message waits until this turn has ended. Steer gives it to the agent now, if the agent can.';

/** As the service and the devices limit a message. */
const MAX_TEXT_LENGTH = 100_000;
/** As the service limits the body of a request, in bytes. */
const MAX_BODY_LENGTH = 1_048_576;

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
  files: readonly File[];
  body: SealedMessage;
}

/** How a message is sent, unless as usual. */
interface SendChoice {
  delivery?: { mode: 'queue' };
  ifBusy?: 'steer' | 'interrupt';
}

/** Sends messages that this browser encrypts: the service passes them on and can't read them. */
export function MessageComposer({ api, sessionId, opener, isBusy, onSent }: MessageComposerProps) {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly File[]>([]);
  const [isSending, setSending] = useState(false);
  /** What became of the last message, unless it was sent as usual. */
  const [notice, setNotice] = useState('');
  const [problem, setProblem] = useState('');
  const [canQueue, setCanQueue] = useState(false);
  const draft = useRef<Draft | null>(null);
  const call = useRef(new RepeatableCall());
  const addFiles = (added: Iterable<File>) => setFiles((present) => [...present, ...added]);
  const isDropping = useDroppedFiles(addFiles);
  const fileProblem = findFileProblem(files);

  useEffect(() => {
    if (notice === '') return undefined;
    const timer = setTimeout(() => setNotice(''), 5_000);
    return () => clearTimeout(timer);
  }, [notice]);

  const send = async (choice: SendChoice = {}): Promise<void> => {
    if (!isSendable) return;
    setSending(true);
    setNotice('');
    setProblem('');
    setCanQueue(false);
    try {
      if (draft.current?.text !== text || draft.current.files !== files)
        draft.current = { text, files, body: await sealDraft(opener, text, files) };
      const path = `/v1/control/sessions/${sessionId}/messages`;
      await call.current.post(api, path, { ...draft.current.body, ...choice });
      draft.current = null;
      onSent();
      // What was typed or added meanwhile stays.
      setText((current) => (current === text ? '' : current));
      setFiles((current) => current.filter((file) => !files.includes(file)));
      if (choice.delivery) setNotice('Queued: it is sent when the device is online.');
    } catch (error) {
      setProblem(formatSendProblem(error));
      setCanQueue(error instanceof ServiceError && error.code === 'no_online_device');
    } finally {
      setSending(false);
    }
  };

  const isSendable = !isSending && text.trim() !== '' && fileProblem === '';
  return (
    <form
      class={isDropping ? 'composer is-target' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label>
        <span class="spoken">Message</span>
        <textarea
          rows={2}
          placeholder={isDropping ? 'Drop the files here' : 'Message the agent'}
          maxLength={MAX_TEXT_LENGTH}
          value={text}
          aria-describedby="composer-hint"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void send();
          }}
          onPaste={(event) => {
            const { files: pasted } = event.clipboardData!;
            // A program that copies text may add a picture of it.
            if (pasted.length === 0 || event.clipboardData!.getData('text/plain')) return;
            event.preventDefault();
            addFiles(pasted);
          }}
        />
      </label>
      <AttachedFiles files={files} onRemove={(removed) => setFiles(files.filter((file) => file !== removed))} />
      <Problem text={fileProblem || problem} />
      <div class="acts">
        <button disabled={!isSendable}>Send message</button>
        {isBusy && (
          <>
            <SendButton
              label="Steer"
              isEnabled={isSendable && files.length === 0}
              onClick={() => void send({ ifBusy: 'steer' })}
            />
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
        <FileButton onChoose={addFiles} />
        <small id="composer-hint" role="status">
          {isSending ? 'Sending …' : notice || (isBusy ? BUSY_TEXT : IDLE_TEXT)}
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

function FileButton({ onChoose }: { onChoose: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="secondary" onClick={() => input.current!.click()}>
        Attach files
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onChoose([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

/** @throws Error whose message is for the user */
async function sealDraft(opener: SessionOpener, text: string, files: readonly File[]): Promise<SealedMessage> {
  const body = await sealMessage(opener, text, files).catch((error: unknown) => {
    if (!(error instanceof DOMException)) throw error;
    throw new Error('A file can’t be read: it was changed or moved, or is a folder. Remove it.', { cause: error });
  });
  if (JSON.stringify(body).length > MAX_BODY_LENGTH - 1_000)
    throw new Error('The text and the files are too large together. Send some of the files with another message.');
  return body;
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
