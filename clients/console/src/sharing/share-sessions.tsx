import { useState } from 'preact/hooks';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { countFailures, countSessions, grantSessions, type SharingResults } from './grant-sessions';
import { EMPTY_SELECTION, SessionPicker } from './session-picker';

interface ShareSessionsProps {
  api: AccountApi;
  keys: AccountKeys;
  /** Configured address of the host, to which a grant is bound. */
  audience: string;
  /** Id of the token, or client id of the app. */
  granteeId: string;
}

/** Selects sessions and grants each one's key to a token or an app. */
export function ShareSessions({ api, keys, audience, granteeId }: ShareSessionsProps) {
  const [selection, setSelection] = useState(EMPTY_SELECTION);
  const [results, setResults] = useState<SharingResults>(new Map());
  const [total, setTotal] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const count = selection.sessions.length;

  const share = async (): Promise<void> => {
    setBusy(true);
    setTotal(count);
    setResults(new Map());
    const final = await grantSessions({ api, keys, audience, granteeId, ...selection, onResult: setResults });
    setSelection({ ...selection, sessions: selection.sessions.filter(({ id }) => final.get(id) !== null) });
    setBusy(false);
  };

  return (
    <form
      class="share-sessions"
      aria-label="Share sessions"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && count > 0) void share();
      }}
    >
      <SessionPicker
        api={api}
        keys={keys}
        selection={selection}
        results={results}
        isDisabled={isBusy}
        onSelect={setSelection}
      />
      <p role="status">{describeProgress(results, total, isBusy)}</p>
      <button disabled={isBusy || count === 0}>{`Share ${countSessions(count)}`}</button>
    </form>
  );
}

function describeProgress(results: SharingResults, total: number, isBusy: boolean): string {
  if (total === 0) return '';
  const failures = countFailures(results);
  const shared = `${isBusy ? 'Sharing' : 'Shared'} ${results.size - failures} of ${countSessions(total)}.`;
  return failures === 0 ? shared : `${shared} ${failures} failed; share again to repeat.`;
}
