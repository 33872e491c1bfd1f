import { DeviceNameField, SignInCard, type SignInDestination, SignInLink } from './sign-in-card';

interface SignInPageProps extends SignInDestination {
  /** Account that no longer exists, whose keys the page's module deletes from this browser. */
  deletedAccountId: string | null;
  /** Of the device that this browser was before it was revoked, whose keys the page's module deletes from it. */
  revokedFingerprint: string | null;
}

/** Offers the known accounts of this browser, and the ways to add it to an account. */
export function SignInPage({ returnPath, app, deletedAccountId, revokedFingerprint }: SignInPageProps) {
  return (
    <SignInCard heading="Sign in" returnPath={returnPath} app={app}>
      {deletedAccountId !== null && (
        <p class="notice" id="deleted-account" role="status" data-account-id={deletedAccountId}>
          The account was deleted.
        </p>
      )}
      {revokedFingerprint !== null && (
        <p class="notice" id="revoked-device" role="status" data-fingerprint={revokedFingerprint}>
          This browser was revoked. It is no longer a device of the account.
        </p>
      )}
      <p>External API lets your scripts and apps use your account’s coding agents and machines.</p>
      <section id="known" hidden>
        <ul class="choices" id="known-accounts" />
        <template id="known-account">
          <li>
            <button type="button" class="choice">
              <span class="avatar" aria-hidden="true" />
              <span>
                Continue as <strong />
                <small>This browser is a device of this account</small>
              </span>
            </button>
            <button type="button" class="plain forget">
              Forget
            </button>
          </li>
        </template>
        <p class="divider">or</p>
      </section>
      <section id="ways" hidden>
        <ul class="choices">
          <li class="choice primary">
            <SignInLink page="sign-up" to={returnPath}>
              Create an account
            </SignInLink>
            <small>No password or email: your keys stay in this browser, with a recovery key on paper</small>
          </li>
          <li class="choice">
            <SignInLink page="link" to={returnPath}>
              Link this browser to my account
            </SignInLink>
            <small>Approve it with a code on one of your other devices</small>
          </li>
          <li class="choice">
            <SignInLink page="recover" to={returnPath}>
              Use my recovery key
            </SignInLink>
            <small>Use it when you have no other device left</small>
          </li>
        </ul>
      </section>
    </SignInCard>
  );
}

/** Steps of linking a browser: the pairing code, the fingerprint comparison and the approving account. */
export function LinkPage({ returnPath, app }: SignInDestination) {
  return (
    <SignInCard heading="Link this browser" returnPath={returnPath} app={app}>
      <form id="ask" hidden>
        <p>A device that is signed in to your account has to approve this browser. You get a code to enter there.</p>
        <DeviceNameField />
        <button>Show code</button>
        <p class="fine">
          No signed-in device?{' '}
          <SignInLink page="sign-up" to={returnPath}>
            Create an account
          </SignInLink>{' '}
          or{' '}
          <SignInLink page="recover" to={returnPath}>
            use your recovery key
          </SignInLink>
          .
        </p>
      </form>
      <section id="waiting" hidden>
        <p>On a device that is signed in to your account, approve this pairing code:</p>
        <div class="pairing">
          <output class="big-code" id="code" aria-label="Pairing code" />
          <div class="qr" id="qr" />
        </div>
        <FingerprintField id="fingerprint">
          Both screens must show the same fingerprint. If they differ, deny the request.
        </FingerprintField>
        <p class="label">Or in a terminal:</p>
        <div class="copyable">
          <code id="command" />
          <button type="button" class="secondary" id="copy-command" data-copy="" hidden>
            Copy
          </button>
        </div>
        <p class="waiting">
          <span>
            Waiting for approval. The code expires at <time id="expires" />
          </span>
        </p>
        <button type="button" class="secondary" id="cancel">
          Cancel
        </button>
      </section>
      <section id="approved" hidden>
        <h2 tabIndex={-1}>
          Approved by <strong id="account" />
        </h2>
        <p>Is this your account? If you did not approve the code yourself, somebody else did: choose No.</p>
        <FingerprintField id="approved-fingerprint">
          The fingerprint of this browser. The other device showed the same one.
        </FingerprintField>
        <div class="actions">
          <button type="button" id="accept">
            Yes, sign in
          </button>
          <button type="button" class="secondary" id="reject">
            No, this isn’t my account
          </button>
        </div>
      </section>
    </SignInCard>
  );
}

function FingerprintField({ id, children }: { id: string; children: string }) {
  return (
    <dl class="facts">
      <dt>Fingerprint</dt>
      <dd>
        <output class="code" id={id} aria-label="Fingerprint" />
        <small>{children}</small>
      </dd>
    </dl>
  );
}

/** The recovery key is a device of the account: it approves this browser and stays valid. */
export function RecoverPage({ returnPath, app }: SignInDestination) {
  return (
    <SignInCard heading="Use a recovery key" returnPath={returnPath} app={app}>
      <form id="recover" hidden>
        <p>
          The recovery key adds this browser to your account’s devices. The key stays valid, and this browser doesn’t
          store it.
        </p>
        <label>
          Recovery key
          <textarea
            name="recovery-key"
            class="code"
            rows={4}
            required
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
          />
          <small>13 groups of four characters. Case, spaces and hyphens don’t matter.</small>
        </label>
        <DeviceNameField />
        <button>Recover account</button>
        <p class="fine">
          <SignInLink page="sign-in" to={returnPath}>
            Other ways to sign in
          </SignInLink>
        </p>
      </form>
    </SignInCard>
  );
}
