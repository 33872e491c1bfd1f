import { Card, DeviceNameField, Way, type Destination } from './card';

/** The recovery key is a device of the account: it approves this browser, and goes on being one. */
export function RecoverPage({ to, app }: Destination) {
  return (
    <Card heading="Use a recovery key" to={to} app={app}>
      <form id="recover" hidden>
        <p>The key makes this browser a device of your account. It stays good, and it is forgotten here afterwards.</p>
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
          <small>13 groups of four; case, spaces and hyphens do not matter.</small>
        </label>
        <DeviceNameField />
        <button>Recover my account</button>
        <p class="fine">
          <Way page="sign-in" to={to}>
            Other ways to sign in
          </Way>
        </p>
      </form>
    </Card>
  );
}
