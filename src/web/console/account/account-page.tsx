import { Id } from '@external-api/pages';
import type { Account } from '../../../modules/accounts';
import type { DeviceDto } from '../../../modules/devices';
import { ConfirmAction, DangerZone } from '../components/confirm-action';
import { ContentApp } from '../components/content-app';
import { PageHead } from '../components/page-head';
import { Time } from '../components/time';
import { SignOutEverywhere } from '../devices/device-list';
import { RecoveryKeys } from '../devices/recovery-keys';
import { FormProblem, TextField } from '../forms/fields';
import type { FormState } from '../forms/form-state';

interface AccountPageProps {
  account: Account;
  /** This browser. */
  deviceId: string;
  recoveryKeys: readonly DeviceDto[];
  /** Form that deletes the account. */
  deletion: FormState;
}

export function AccountPage({ account, deviceId, recoveryKeys, deletion }: AccountPageProps) {
  return (
    <>
      <PageHead heading="Settings" description="Your username, your data and your recovery keys." />
      <AccountFacts account={account} />
      <section class="part" aria-labelledby="notifications">
        <h2 id="notifications">Notifications in this browser</h2>
        <ContentApp props={{ deviceId }} hint="Notifications are decrypted in your browser and need JavaScript." />
      </section>
      <section class="part" aria-labelledby="export">
        <h2 id="export">Export</h2>
        <p>
          All records of the account as one JSON file. Messages, artifacts and titles are in it as the service stores
          them: encrypted with the keys of your account.
        </p>
        <p class="acts">
          <a class="button secondary" href="/console/account/export" download>
            Export data
          </a>
        </p>
      </section>
      <section class="part" aria-labelledby="security-log">
        <h2 id="security-log">Security log</h2>
        <p>Who signed in to the account and changed its devices, tokens, apps and webhooks, and from where.</p>
        <p class="acts">
          <a class="button secondary" href="/console/security-log">
            Open security log
          </a>
        </p>
      </section>
      <RecoveryKeys devices={recoveryKeys} />
      <DangerZone>
        <SignOutEverywhere />
        <DeleteAccount username={account.username} form={deletion} />
      </DangerZone>
    </>
  );
}

function AccountFacts({ account: { id, username, createdAt } }: { account: Account }) {
  return (
    <dl class="facts">
      <dt>Username</dt>
      <dd>{username}</dd>
      <dt>Account ID</dt>
      <dd>
        <Id value={id} subject="account" />
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={createdAt.getTime()} />
      </dd>
    </dl>
  );
}

function DeleteAccount({ username, form }: { username: string; form: FormState }) {
  return (
    <ConfirmAction
      label="Delete account"
      action="/console/account/delete"
      isOpen={form.status >= 400}
      fields={
        <>
          <FormProblem form={form} />
          <TextField form={form} name="username" label={`Enter ${username} to confirm`} required />
        </>
      }
    >
      This deletes the sessions, messages, artifacts, tokens, apps and webhooks of the account, and signs out all of its
      devices. It can’t be undone.
    </ConfirmAction>
  );
}
