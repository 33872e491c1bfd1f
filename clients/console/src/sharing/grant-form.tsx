import { useState } from 'preact/hooks';
import { parseRecipientPublicKey, type GrantableResource } from '@external-api/protocol/portable';
import { Problem } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import { showInvisibleCharacters } from '../lib/visible-text';
import { DURATIONS, findReaders, getExpiry, toGrantee } from './grant-words';
import type { GrantRequest, ShareTarget, SharingProps } from './key-grants';

interface GrantFormProps {
  sharing: SharingProps;
  object: GrantableResource['object'];
  onGrant: (request: GrantRequest) => Promise<void>;
  onCancel: () => void;
}

/** Asks who may read, until when, and optionally for the reader's own key. */
export function GrantForm({ sharing, object, onGrant, onCancel }: GrantFormProps) {
  const [who, setWho] = useState('');
  const [days, setDays] = useState('7');
  const [publicKey, setPublicKey] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);

  const submit = async () => {
    setBusy(true);
    setProblem('');
    try {
      const recipient = publicKey.trim() ? await parseReaderKey(publicKey) : undefined;
      await onGrant({ ...toGrantee(who), expiresAt: getExpiry(days, Date.now()), recipient });
    } catch (error) {
      setProblem(formatProblem(error));
      setBusy(false);
    }
  };

  return (
    <form
      class="card sharing-form"
      aria-label="Share"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void submit();
      }}
    >
      <Problem text={problem} />
      <label>
        Who
        <select required value={who} onChange={(event) => setWho(event.currentTarget.value)}>
          <option value="">Choose …</option>
          <TargetOptions label="One token" targets={findReaders(sharing.tokens, object)} />
          <TargetOptions label="One authorized app" targets={findReaders(sharing.apps, object)} />
          <option value="all">All tokens, also future ones</option>
        </select>
        <small>Tokens and apps read content only if their scopes include it.</small>
      </label>
      <DurationField days={days} onChange={setDays} />
      <details class="more">
        <summary>Only for the holder of a key</summary>
        <label>
          Public key
          <textarea
            rows={3}
            value={publicKey}
            spellcheck={false}
            autocomplete="off"
            placeholder='{"kty":"OKP","crv":"X25519","x":"…"}'
            onInput={(event) => setPublicKey(event.currentTarget.value)}
          />
          <small>A public JWK on X25519 or P-256. The service then can’t read the content itself.</small>
        </label>
      </details>
      <div class="actions">
        <button disabled={isBusy}>{isBusy ? 'Sharing …' : 'Share'}</button>
        <button type="button" class="secondary" disabled={isBusy} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

export function DurationField({ days, onChange }: { days: string; onChange: (days: string) => void }) {
  return (
    <label>
      For how long
      <select value={days} onChange={(event) => onChange(event.currentTarget.value)}>
        {DURATIONS.map((duration) => (
          <option key={duration.text} value={duration.days === null ? '' : String(duration.days)}>
            {duration.text}
          </option>
        ))}
      </select>
    </label>
  );
}

function TargetOptions({ label, targets }: { label: string; targets: readonly ShareTarget[] }) {
  if (targets.length === 0) return null;
  return (
    <optgroup label={label}>
      {targets.map(({ id, name }) => (
        <option key={id} value={id}>
          {showInvisibleCharacters(name)}
        </option>
      ))}
    </optgroup>
  );
}

/** @throws Error with a sentence for the user */
async function parseReaderKey(text: string) {
  try {
    return await parseRecipientPublicKey(text);
  } catch (error) {
    throw new Error(`This key can’t be used. ${(error as Error).message}`, { cause: error });
  }
}
