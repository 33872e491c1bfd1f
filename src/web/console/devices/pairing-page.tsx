import type { Account } from '../../../modules/accounts';
import type { PendingPairing } from '../../../modules/devices';
import { PageHead } from '../components/page-head';
import { Time } from '../components/time';
import { FormProblem, TextField } from '../forms/fields';
import type { FormState } from '../forms/form-state';
import { Form } from '../html/form';

interface PairingPageProps {
  pairing: PendingPairing;
  account: Account;
}

/** Describes the new device and asks for approval, which `approve.js` signs with the browser's key. */
export function PairingPage({ pairing, account }: PairingPageProps) {
  const { code, kind, name, platform, address, fingerprint, publicKey, encryptionKey, expiresAt } = pairing;
  const signedData = {
    kind,
    publicKey,
    encryptionKey,
    accountId: account.id,
    contentKeyVersion: account.contentKeyVersion,
  };
  return (
    <>
      <PageHead heading={`Approve ${name}?`} parentLink={{ path: '/console/devices', text: 'Devices' }} />
      <section class="card" id="card" data-signs={JSON.stringify(signedData)}>
        <noscript>
          <p class="notice problem">This browser signs the approval with its key. Turn on JavaScript to continue.</p>
        </noscript>
        <p class="notice problem" id="problem" role="alert" hidden />
        <p class="progress" id="progress" role="status" />
        <dl class="facts">
          <dt>Kind</dt>
          <dd>
            {kind === 'machine' ? 'Machine' : 'Account device'}
            <small>
              {kind === 'machine' ? 'Runs sessions and commands.' : 'Reads everything and manages the account.'}
            </small>
          </dd>
          <dt>Platform</dt>
          <dd>{platform}</dd>
          <dt>IP address</dt>
          <dd class="mono">{address}</dd>
          <dt>Pairing code</dt>
          <dd class="mono">{code}</dd>
          <dt>Expires</dt>
          <dd>
            <Time at={expiresAt.getTime()} />
          </dd>
          <dt>Fingerprint</dt>
          <dd>
            <output class="code" id="fingerprint" aria-label="Fingerprint">
              {fingerprint}
            </output>
            <small>
              The new device must show the same fingerprint. If it doesn’t, somebody may be intercepting the connection.
            </small>
          </dd>
        </dl>
        <Form action="/console/devices/pairing/approve">
          <input type="hidden" name="code" value={code} />
          <input type="hidden" name="enrollment" />
          {kind === 'account' && (
            <label class="box compared">
              <input type="checkbox" name="compared" value="yes" required />
              <span>Both screens show the same fingerprint</span>
            </label>
          )}
          <div class="actions">
            <button name="decision" value="approve">
              Approve
            </button>
            <button class="secondary" formaction="/console/devices/pairing/deny" formnovalidate>
              Deny
            </button>
          </div>
        </Form>
      </section>
    </>
  );
}

/** Shows the form again after a rejected pairing code. */
export function PairingCodePage({ form }: { form: FormState }) {
  return (
    <>
      <PageHead heading="Approve a device" parentLink={{ path: '/console/devices', text: 'Devices' }} />
      <PairingCodeForm form={form} />
    </>
  );
}

/** Form for a pairing code. `pairing-code.js` fills in the code from a scanned QR code. */
export function PairingCodeForm({ form }: { form: FormState }) {
  return (
    <Form action="/console/devices/pairing" class="card inline">
      <FormProblem form={form} />
      <TextField
        form={form}
        name="code"
        label="Approve a device"
        hint="Enter the code that the new device shows. The next page shows which device it is."
        placeholder="ABCD-EFGH"
        maxLength={32}
        required
      />
      <button>Continue</button>
    </Form>
  );
}
