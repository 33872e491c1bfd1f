import { LastGroupField, RecoveryKeyPaper } from './recovery-key-parts';
import { SignInCard, DeviceNameField, SignInLink, type SignInDestination } from './sign-in-card';

/** Asks for a name, then shows the recovery key once. Confirming the key creates the account. */
export function SignUpPage({
  returnPath,
  app,
  byInvitation: isInvitationRequired,
}: SignInDestination & { byInvitation: boolean }) {
  return (
    <SignInCard heading="Create an account" returnPath={returnPath} app={app}>
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
        {isInvitationRequired && (
          <label>
            Invitation
            <input name="invitation" required maxlength={100} autocomplete="off" spellcheck={false} />
            <small>Sign-up is by invitation only.</small>
          </label>
        )}
        <DeviceNameField />
        <button>Continue</button>
        <p class="fine">
          Have an account?{' '}
          <SignInLink page="sign-in" to={returnPath}>
            Sign in
          </SignInLink>
        </p>
      </form>
      <RecoveryKeyStep />
      <AccountCreated />
    </SignInCard>
  );
}

/** Shown if the page was closed before the response to the account's creation arrived. */
function AccountCreated() {
  return (
    <section id="made" hidden>
      <h2 tabIndex={-1}>
        The account <strong id="made-username" /> has been created
      </h2>
      <p>Its recovery key is the one you confirmed.</p>
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

function RecoveryKeyStep() {
  return (
    <section id="recovery" hidden>
      <h2 tabIndex={-1}>Save your recovery key</h2>
      <p>
        If you lose this browser, only this key can restore your account. It is shown <strong>only once</strong>. Print
        it or write it down, and store it away from this computer. Anyone who has it can use your account.
      </p>
      <RecoveryKeyPaper />
      <form id="confirm">
        <LastGroupField />
        <button>Create account</button>
        <button type="button" class="plain" id="back">
          Back
        </button>
      </form>
    </section>
  );
}
