import type { Account } from '../../../modules/accounts';
import type { DeviceDto } from '../../../modules/devices';
import { Time } from '../components/time';
import { Form } from '../html/form';
import { LastGroupField, RecoveryKeyPaper } from '../sign-in/recovery-key-parts';

interface NewRecoveryKeyPageProps {
  account: Account;
  /** Keys that aren't revoked. */
  recoveryKeys: readonly DeviceDto[];
}

/** Shows a new recovery key once. `recovery-key.js` generates it, and signs its enrollment with the browser's key. */
export function NewRecoveryKeyPage({ account, recoveryKeys }: NewRecoveryKeyPageProps) {
  const { id, username, contentKeyVersion } = account;
  return (
    <section class="card" id="card" data-account={JSON.stringify({ id, username, contentKeyVersion })}>
      <p class="eyebrow">
        <a href="/console/devices">Devices</a>
      </p>
      <h1>Create a recovery key</h1>
      <noscript>
        <p class="notice problem">Your browser creates and signs the key. Turn on JavaScript to continue.</p>
      </noscript>
      <p class="notice problem" id="problem" role="alert" hidden />
      <p class="progress" id="progress" role="status" />
      <section id="recovery" hidden>
        <p>
          It restores your account if you lose all other devices. It is shown <strong>only once</strong>, and works
          after you confirm it. Print it or write it down, and store it away from this computer. Anyone who has it can
          use your account.
        </p>
        <RecoveryKeyPaper username={username} />
        <Form action="/console/devices/recovery-key" id="confirm">
          <input type="hidden" name="code" />
          <input type="hidden" name="enrollment" />
          <LastGroupField />
          {recoveryKeys.length > 0 && <EarlierKeys recoveryKeys={recoveryKeys} />}
          <div class="actions">
            <button>Create recovery key</button>
            <a class="button secondary" href="/console/devices">
              Cancel
            </a>
          </div>
        </Form>
      </section>
    </section>
  );
}

function EarlierKeys({ recoveryKeys }: { recoveryKeys: readonly DeviceDto[] }) {
  return (
    <fieldset class="field earlier-keys">
      <legend>Earlier recovery keys</legend>
      <small class="hint">
        Revoke keys that are lost or that somebody else may have seen. Their copies on paper stop working. It can’t be
        undone.
      </small>
      {recoveryKeys.map(({ id, name, createdAt, fingerprint }) => (
        <label key={id} class="box">
          <input type="checkbox" name="revoke" value={id} />
          <span>
            Revoke {name}, created <Time at={createdAt} />
            <small class="mono">{fingerprint}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
