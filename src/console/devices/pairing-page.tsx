import type { Account } from '../../accounts';
import type { PairingEntity } from '../../devices';
import { Form } from '../html/form';
import { PageHead } from '../parts/page-head';
import { Time } from '../parts/time';

interface PairingPageProps {
  pairing: PairingEntity;
  account: Account;
}

/** What asks to join, and the person's word; `approve.js` signs it with the browser's key. */
export function PairingPage({ pairing, account }: PairingPageProps) {
  const { code, kind, name, platform, address, fingerprint, publicKey, encryptionKey, expiresAt } = pairing;
  const signs = {
    kind,
    publicKey,
    encryptionKey,
    accountId: account.id,
    contentKeyVersion: account.contentKeyVersion,
  };
  return (
    <>
      <PageHead heading={`Approve ${name}?`} up={{ path: '/console/devices', text: 'Devices' }} />
      <section class="card" id="card" data-signs={JSON.stringify(signs)}>
        <noscript>
          <p class="notice problem">This browser signs the approval with its key, for which it needs JavaScript.</p>
        </noscript>
        <p class="notice problem" id="problem" role="alert" hidden />
        <p class="progress" id="progress" role="status" />
        <dl class="facts">
          <dt>Kind</dt>
          <dd>
            {kind === 'machine' ? 'Machine' : 'Account device'}
            <small>
              {kind === 'machine' ? 'Runs sessions and commands.' : 'Reads everything, and manages the account.'}
            </small>
          </dd>
          <dt>Platform</dt>
          <dd>{platform}</dd>
          <dt>Asks from</dt>
          <dd class="mono">{address}</dd>
          <dt>Code</dt>
          <dd class="mono">{code}</dd>
          <dt>Open until</dt>
          <dd>
            <Time at={expiresAt.getTime()} />
          </dd>
          <dt>Fingerprint</dt>
          <dd>
            <output class="code" id="fingerprint" aria-label="Fingerprint">
              {fingerprint}
            </output>
            <small>The new device has to show the same. If it does not, somebody stands between you and it.</small>
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
