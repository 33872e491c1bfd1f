import { useEffect, useRef, useState } from 'preact/hooks';
import type { DataKey, GrantableResource } from '@external-api/protocol/portable';
import { Problem, RelativeTime } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import { CoalescedRefresh } from '../content/coalesced-refresh';
import type { KeyGrantRecord } from '../content/records';
import { GrantForm } from './grant-form';
import { describeGrant, nameGrantee } from './grant-words';
import { KeyGranter, listKeyGrants, revokeKeyGrant, type SharingProps } from './key-grants';

interface WhoCanReadProps {
  api: AccountApi;
  accountId: string;
  resource: GrantableResource;
  /** Opens the key and verifies it. Null if this browser can't. Grants can then be revoked, not created. */
  openKey: (() => Promise<DataKey>) | null;
  sharing: SharingProps;
}

/** Lists the grants of a session or an artifact, and creates and revokes them. */
export function WhoCanRead({ api, accountId, resource, openKey, sharing }: WhoCanReadProps) {
  const [grants, setGrants] = useState<KeyGrantRecord[] | null>(null);
  const [problem, setProblem] = useState('');
  const [isFormOpen, setFormOpen] = useState(false);
  const refresh = useRef<CoalescedRefresh>(null);
  const reload = () => refresh.current?.scheduleRefresh(0);

  // Grants also change in other tabs. A stream for them would use one of the few connections that a browser has.
  useEffect(() => {
    const readGrants = async (): Promise<void> => {
      setGrants(await listKeyGrants(api, resource));
      setProblem('');
    };
    const reloadIfVisible = () => {
      if (!document.hidden) reload();
    };
    refresh.current = new CoalescedRefresh(readGrants, (error) => setProblem(formatProblem(error)));
    reload();
    addEventListener('focus', reloadIfVisible);
    document.addEventListener('visibilitychange', reloadIfVisible);
    return () => {
      refresh.current?.stop();
      removeEventListener('focus', reloadIfVisible);
      document.removeEventListener('visibilitychange', reloadIfVisible);
    };
  }, [resource.id]);

  const revoke = async (grant: KeyGrantRecord): Promise<void> => {
    await revokeKeyGrant(api, resource, grant.id);
    reload();
  };

  return (
    <section class="sharing" aria-labelledby="who-can-read">
      <h2 id="who-can-read">Who can read</h2>
      <p class="hint">
        Your own devices always can. Tokens and apps can read this {resource.object} only where you share it.
      </p>
      <Problem text={problem} />
      {grants?.length === 0 && <p>Not shared with any token or app.</p>}
      {grants && grants.length > 0 && (
        <ul class="grants">
          {grants.map((grant) => (
            <GrantItem key={grant.id} grant={grant} sharing={sharing} onRevoke={() => revoke(grant)} />
          ))}
        </ul>
      )}
      {isFormOpen && openKey && (
        <GrantForm
          sharing={sharing}
          object={resource.object}
          onCancel={() => setFormOpen(false)}
          onGrant={async (request) => {
            const granter = new KeyGranter(api, { accountId, aud: sharing.audience });
            await granter.grantKey(resource, await openKey(), request);
            setFormOpen(false);
            reload();
          }}
        />
      )}
      {!isFormOpen && openKey && (
        <button type="button" class="secondary" onClick={() => setFormOpen(true)}>
          Share …
        </button>
      )}
      {!openKey && <p class="hint">This browser can’t share it, because it can’t open its key.</p>}
    </section>
  );
}

interface GrantItemProps {
  grant: KeyGrantRecord;
  sharing: SharingProps;
  onRevoke: () => Promise<void>;
}

function GrantItem({ grant, sharing, onRevoke }: GrantItemProps) {
  const [isConfirming, setConfirming] = useState(false);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const grantee = nameGrantee(grant, sharing);
  const revoke = () => {
    setBusy(true);
    setProblem('');
    onRevoke()
      .catch((error: unknown) => setProblem(formatProblem(error)))
      .finally(() => setBusy(false));
  };
  return (
    <li>
      <div>
        <strong>
          <bdi>{grantee}</bdi>
        </strong>
        <small>
          {describeGrant(grant, Date.now())} · shared <RelativeTime at={grant.createdAt} />
        </small>
      </div>
      {!isConfirming && (
        <button type="button" class="secondary" aria-label={`Revoke ${grantee}`} onClick={() => setConfirming(true)}>
          Revoke …
        </button>
      )}
      {isConfirming && (
        <div class="question" role="group" aria-label={`Revoke ${grantee}?`} tabIndex={-1}>
          <Problem text={problem} />
          <p>{describeRevocation(grant, grantee)}</p>
          <div class="actions">
            <button type="button" class="danger" disabled={isBusy} onClick={revoke}>
              Revoke
            </button>
            <button type="button" class="secondary" disabled={isBusy} onClick={() => setConfirming(false)}>
              Cancel
            </button>
          </div>
        </div>
      )}
    </li>
  );
}

function describeRevocation({ recipient }: KeyGrantRecord, grantee: string): string {
  const end = `This ends the access of ${grantee} at once. It can’t take back what was already read`;
  return recipient === 'service' ? `${end}.` : `${end}, or the key, which opens copies of the ciphertext.`;
}
