import type { ConsentQuestion } from '../../oauth';
import { Form } from '../html/form';
import { ScopeList } from '../parts/scope-list';

interface ConsentPageProps {
  question: ConsentQuestion;
  username: string;
  /** Where the form goes. */
  action: string;
}

/** What an app asks a person for (oauth.md, Authorize). */
export function ConsentPage({ question, username, action }: ConsentPageProps) {
  const { app, redirectHost, scopes, ticket } = question;
  return (
    <section class="card">
      <p class="eyebrow">{`Signed in as ${username}`}</p>
      <h1>
        <strong class="app">{app.name}</strong> wants to use your account
      </h1>
      <p>
        An app by <strong>{app.ownerUsername}</strong>
        {app.homepageHost !== null && (
          <>
            {' · '}
            <span class="host">{app.homepageHost}</span>
          </>
        )}
      </p>
      <h2>It may</h2>
      <ScopeList scopes={scopes} />
      <p class="notice">
        Your browser goes to <strong class="host">{redirectHost}</strong> next. Allow it only if you have come from
        there and know the app.
      </p>
      <Form action={action}>
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
      <p class="fine">It cannot run commands on your machines. You can revoke what you allow at any time.</p>
    </section>
  );
}

/** Answered, expired, or asked in another browser. */
export function GonePage() {
  return (
    <section class="card">
      <h1>This request is not open any more</h1>
      <p>
        It was answered already, has expired, or was begun in another session. Nothing was shared. Go back to the app
        and start again from there.
      </p>
      <p>
        <a class="button secondary" href="/console">
          To the console
        </a>
      </p>
    </section>
  );
}
