import { Card, DeviceNameField, Way, type Destination } from './card';

/** A code that a signed-in device approves; what the person compares; whose account approved it. */
export function LinkPage({ to, app }: Destination) {
  return (
    <Card heading="Link this browser" to={to} app={app}>
      <form id="ask" hidden>
        <p>A device that is signed in to your account approves this browser. You get a code to enter there.</p>
        <DeviceNameField />
        <button>Show a code</button>
        <p class="fine">
          No such device?{' '}
          <Way page="sign-up" to={to}>
            Create an account
          </Way>{' '}
          or{' '}
          <Way page="recover" to={to}>
            use your recovery key
          </Way>
          .
        </p>
      </form>
      <section id="waiting" hidden>
        <p>On a device that is signed in to your account, approve this code:</p>
        <div class="pairing">
          <output class="big-code" id="code" aria-label="Pairing code" />
          <div class="qr" id="qr" />
        </div>
        <Fingerprint id="fingerprint">
          Both screens have to show the same fingerprint. If they differ, deny it.
        </Fingerprint>
        <p>
          <small>
            In a terminal: <code id="command" />
          </small>
        </p>
        <p class="waiting">
          <span>
            Waiting for approval, until <time id="expires" />
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
        <p>Is this your account? If you did not approve the code yourself, say no: somebody else has.</p>
        <Fingerprint id="approved-fingerprint">Of this browser. The other device showed the same.</Fingerprint>
        <div class="actions">
          <button type="button" id="accept">
            Yes, sign in
          </button>
          <button type="button" class="secondary" id="reject">
            No, this is not mine
          </button>
        </div>
      </section>
    </Card>
  );
}

function Fingerprint({ id, children }: { id: string; children: string }) {
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
