import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { showInvisibleCharacters } from '../lib/visible-text';
import { countFailures, countSessions, grantSessions, type SharingResults } from './grant-sessions';
import { EMPTY_SELECTION, SessionPicker } from './session-picker';

/** What the server tells the module of the consent page. */
export interface ConsentSharingProps {
  /** Configured address of the host, to which a grant is bound. */
  audience: string;
  /** Client id and name of the app. */
  appId: string;
  appName: string;
  /** Path that decides the request for scripts. */
  decisionPath: string;
}

/** The app's code is valid for a minute from the decision, and the app has to exchange it. */
const SHARING_TIME_MS = 20_000;
/** After this time the browser goes on to the app, also if a session could not be shared. */
const READING_TIME_MS = 20_000;

/** State after the user has allowed the request. */
interface Allowed {
  /** Address of the app, with its code. */
  location: string;
  isSharing: boolean;
}

/**
 * Selects sessions on the consent page. If there are any, **Allow** first records the decision, then grants their keys,
 * and then opens the app. A failed grant changes nothing about the decision.
 */
export function ConsentSharing({
  api,
  keys,
  props,
}: {
  api: AccountApi;
  keys: AccountKeys;
  props: ConsentSharingProps;
}) {
  const [selection, setSelection] = useState(EMPTY_SELECTION);
  const [results, setResults] = useState<SharingResults>(new Map());
  const [allowed, setAllowed] = useState<Allowed | null>(null);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const count = selection.sessions.length;
  const appName = showInvisibleCharacters(props.appName);

  const allowAndShare = async (ticket: string): Promise<void> => {
    const decision = { ticket, decision: 'allow' };
    const { data } = await api.post<{ data: { location: string } }>(props.decisionPath, decision);
    setAllowed({ location: data.location, isSharing: true });
    const final = await grantSessions({
      api,
      keys,
      audience: props.audience,
      granteeId: props.appId,
      ...selection,
      deadline: Date.now() + SHARING_TIME_MS,
      onResult: setResults,
    });
    if (countFailures(final) === 0) return location.assign(data.location);
    setAllowed({ location: data.location, isSharing: false });
    setTimeout(() => location.assign(data.location), READING_TIME_MS);
  };

  // The form works without this module, so that it can be sent before the sessions have been loaded.
  useEffect(() => {
    const form = document.getElementById('consent') as HTMLFormElement;
    const buttons = [...form.querySelectorAll('button')];
    const interceptAllow = (event: SubmitEvent) => {
      const { value } = event.submitter as HTMLButtonElement;
      if (isBusy) event.preventDefault();
      if (isBusy || count === 0 || value !== 'allow') return;
      event.preventDefault();
      setBusy(true);
      setProblem('');
      const ticket = (form.elements.namedItem('ticket') as HTMLInputElement).value;
      allowAndShare(ticket).catch((error: unknown) => {
        setProblem(formatProblem(error));
        setBusy(false);
      });
    };
    for (const button of buttons) button.disabled = isBusy;
    form.hidden = allowed !== null;
    form.addEventListener('submit', interceptAllow);
    return () => form.removeEventListener('submit', interceptAllow);
  });

  if (allowed) return <SharingOutcome appName={appName} allowed={allowed} total={count} results={results} />;
  return (
    <>
      <Problem text={problem} />
      <details class="session-selection">
        <summary>{count === 0 ? 'Share sessions now' : `Share ${countSessions(count)} now`}</summary>
        <p class="hint">
          {`If you allow access, ${appName} can read the sessions that you select here, for the time that you choose.`}
        </p>
        <SessionPicker
          api={api}
          keys={keys}
          selection={selection}
          results={results}
          isDisabled={isBusy}
          onSelect={setSelection}
        />
      </details>
    </>
  );
}

interface SharingOutcomeProps {
  appName: string;
  allowed: Allowed;
  total: number;
  results: SharingResults;
}

function SharingOutcome({ appName, allowed, total, results }: SharingOutcomeProps) {
  const failures = countFailures(results);
  if (allowed.isSharing) {
    return <p role="status">{`Allowed. Sharing ${results.size} of ${countSessions(total)} …`}</p>;
  }
  return (
    <section class="notice problem" role="alert">
      <p>
        {`You allowed ${appName}, but ${failures} of ${countSessions(total)} could not be shared: `}
        {[...new Set(results.values())].filter((result) => result !== null).join(' ')}
      </p>
      <p>
        {'Share them later under Authorized apps. This page goes on to the app by itself in '}
        {`${READING_TIME_MS / 1_000} seconds.`}
      </p>
      <a class="button" href={allowed.location}>
        {`Continue to ${appName}`}
      </a>
    </section>
  );
}
