import { Card, DeviceNameField, Way, type Destination } from './card';

/** Name, then the recovery key, shown once; the account is made when that is known to be kept. */
export function SignUpPage({ to, app, byInvitation }: Destination & { byInvitation: boolean }) {
  return (
    <Card heading="Create an account" to={to} app={app}>
      <form id="details" hidden>
        <label>
          Username
          <input
            name="username"
            required
            minlength={3}
            maxlength={32}
            pattern="[a-z0-9\-]{3,32}"
            title="3 to 32 of a-z, 0-9 and -"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
          />
          <small>3 to 32 of a–z, 0–9 and -</small>
        </label>
        {byInvitation && (
          <label>
            Invitation
            <input name="invitation" required maxlength={100} autocomplete="off" spellcheck={false} />
            <small>Sign-up is by invitation here.</small>
          </label>
        )}
        <DeviceNameField />
        <button>Continue</button>
        <p class="fine">
          Have an account?{' '}
          <Way page="sign-in" to={to}>
            Sign in
          </Way>
        </p>
      </form>
      <RecoveryKey />
      <Made />
    </Card>
  );
}

/** Shown when the page went away before it knew that the account was made. */
function Made() {
  return (
    <section id="made" hidden>
      <h2 tabIndex={-1}>
        The account <strong id="made-username" /> was made
      </h2>
      <p>Its recovery key is the one that you confirmed.</p>
      <div class="actions">
        <button type="button" id="enter">
          Sign in
        </button>
        <button type="button" class="secondary" id="another">
          Create another account
        </button>
      </div>
    </section>
  );
}

function RecoveryKey() {
  return (
    <section id="recovery" hidden>
      <h2 tabIndex={-1}>Keep your recovery key</h2>
      <p>
        Should you lose this browser, only this key brings your account back. It is shown <strong>this once</strong>,
        and nobody can show it again. Print it or write it down, and keep it apart from this computer: whoever has it
        has the account.
      </p>
      <div class="paper">
        <p class="paper-only">
          Recovery key of <strong id="paper-username" /> at <span id="paper-host" />
        </p>
        <output class="groups" id="recovery-key" aria-label="Recovery key" />
        <p class="paper-only">To use it: sign in, then “Use my recovery key”.</p>
      </div>
      <div class="actions">
        <button type="button" class="secondary" id="print">
          Print
        </button>
        <button type="button" class="secondary" id="save">
          Save as a file
        </button>
        <button type="button" class="secondary" id="copy">
          Copy
        </button>
      </div>
      <form id="confirm">
        <label>
          Its last group of four
          <input
            name="last-group"
            class="code"
            required
            maxlength={4}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
          />
          <small>Read it from your copy, so that you know it is good.</small>
        </label>
        <button>Create the account</button>
        <button type="button" class="plain" id="back">
          Back
        </button>
      </form>
    </section>
  );
}
