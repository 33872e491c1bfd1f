import type { ConsentPrompt } from '../../../modules/oauth';
import { Form } from '../html/form';
import { ContentApp } from '../components/content-app';
import { ScopeList } from '../components/scope-list';
import { canReadContent } from '../sharing/share-sessions-section';

interface ConsentPageProps {
  consent: ConsentPrompt;
  username: string;
  /** Path that the form posts to. */
  action: string;
  /** Configured address of the host. */
  publicUrl: string;
}

/** Asks the user to allow an app's request (docs/protocol/oauth.md#consent). */
export function ConsentPage({ consent, username, action, publicUrl }: ConsentPageProps) {
  const { app, homepageHost, redirectHost, scopes, reachesMachines, ticket } = consent;
  return (
    <section class="card">
      <p class="eyebrow">{`Signed in as ${username}`}</p>
      <h1>
        <strong class="app">{app.name}</strong> wants to use your account
      </h1>
      <p>
        An app by <strong>{app.ownerUsername}</strong>
        {homepageHost !== null && (
          <>
            {' · '}
            <span class="host">{homepageHost}</span>
          </>
        )}
      </p>
      <h2>It will be able to</h2>
      <ScopeList scopes={scopes} />
      <p class="notice">
        Your browser goes to <strong class="host">{redirectHost}</strong> next. Allow access only if you came from there
        and know the app.
      </p>
      {canReadContent(scopes) && (
        <section class="consent-sharing" aria-labelledby="consent-sharing">
          <h2 id="consent-sharing">Sessions it can read</h2>
          <p>None, unless you share them: now, or afterwards under Authorized apps.</p>
          <ContentApp
            props={{ audience: publicUrl, appId: app.clientId, appName: app.name, decisionPath: `${action}/decision` }}
            hint="To select sessions here, turn on JavaScript: your browser decrypts their titles."
          />
        </section>
      )}
      <Form action={action} id="consent">
        <input type="hidden" name="ticket" value={ticket} />
        <div class="actions">
          <button name="decision" value="allow">
            Allow
          </button>
          <button name="decision" value="deny" class="secondary">
            Deny
          </button>
        </div>
      </Form>
      <p class="fine">
        {!reachesMachines && 'It cannot run commands on your machines. '}
        You can revoke its access at any time.
      </p>
    </section>
  );
}

/** Shown for a request that has been answered, has expired or belongs to another browser. */
export function ConsentGonePage() {
  return (
    <section class="card">
      <h1>This request is no longer open</h1>
      <p>
        It has already been answered, has expired, or belongs to another login. If you have allowed it, the app has
        access. Otherwise, go back to the app and start again.
      </p>
      <p>
        <a class="button secondary" href="/console">
          Go to the console
        </a>
      </p>
    </section>
  );
}
