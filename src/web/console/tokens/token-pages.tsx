import { Badge, EmptyState, Id, Table, type TableColumn } from '@external-api/pages';
import type { Page } from '../../../common/pages';
import type { ExternalTokenDto } from '../../../modules/personal-access-tokens';
import { ConfirmAction, DangerZone } from '../components/confirm-action';
import { Copyable } from '../components/copyable';
import { OneTimeSecret } from '../components/one-time-secret';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { ScopeList } from '../components/scope-list';
import { Time } from '../components/time';
import { canReadContent, ShareSessionsSection } from '../sharing/share-sessions-section';
import { InlineSelect } from '../forms/fields';
import { RenameInPlace } from '../forms/rename-in-place';
import { buildMeCurl } from './me-curl';
import { MachineLimitNote, TokenMachines } from './token-machines';

const TOKEN_COLUMNS: readonly TableColumn<ExternalTokenDto>[] = [
  {
    name: 'Token',
    cell: ({ id, name, prefix, last4 }) => (
      <>
        <a href={`/console/tokens/${id}`}>{name}</a>
        <small class="mono whole">{`${prefix}…${last4}`}</small>
      </>
    ),
  },
  {
    name: 'Scopes',
    cell: ({ scopes, machineIds }) => (
      <>
        <span class="mono words">{scopes.join(' ')}</span>
        <MachineLimitNote machineIds={machineIds} />
      </>
    ),
  },
  { name: 'State', cell: ({ state }) => <TokenStateBadge state={state} /> },
  { name: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];

interface TokenListProps {
  tokens: Page<ExternalTokenDto>;
  cursor: string | undefined;
  publicUrl: string;
}

export function TokenList({ tokens, cursor, publicUrl }: TokenListProps) {
  return (
    <>
      <PageHead
        heading="Tokens"
        description="Access tokens for your own scripts. Each token is limited to its scopes."
        actionLink={{ path: '/console/tokens/new', text: 'New token' }}
      />
      {tokens.data.length === 0 && cursor === undefined ? (
        <EmptyState heading="No tokens yet">
          <p>
            Create one and store it in <code>TOKEN</code>. Then make your first call:
          </p>
          <Copyable isBlock label="First call" text={buildMeCurl(publicUrl)} />
        </EmptyState>
      ) : (
        <Table caption="Your tokens, newest first" columns={TOKEN_COLUMNS} rows={tokens.data} getKey={({ id }) => id} />
      )}
      <Pager path="/console/tokens" cursor={cursor} nextCursor={tokens.nextCursor} />
    </>
  );
}

interface TokenCreatedPageProps {
  heading: string;
  token: ExternalTokenDto;
  secret: string;
  publicUrl: string;
}

export function TokenCreatedPage({ heading, token, secret, publicUrl }: TokenCreatedPageProps) {
  return (
    <OneTimeSecret
      heading={heading}
      label={`Token ${token.name}`}
      secret={secret}
      nextLink={{ path: `/console/tokens/${token.id}`, text: 'I’ve saved it' }}
    >
      <h2>Try it</h2>
      <Copyable isBlock label="First call" text={buildMeCurl(publicUrl, secret)} />
      {isSharable(token) && (
        <p class="notice">
          The token reads content only of sessions that you share with it. Save the secret, then choose them on the next
          page.
        </p>
      )}
    </OneTimeSecret>
  );
}

const TOKEN_OVERLAP_OPTIONS = [
  { value: '0', text: 'at once' },
  { value: '3600', text: 'in an hour' },
  { value: '86400', text: 'in a day' },
];

/** Whether content can be shared with the token now. */
export const isSharable = ({ state, scopes }: ExternalTokenDto): boolean =>
  state === 'active' && canReadContent(scopes);

interface TokenPageProps {
  token: ExternalTokenDto;
  /** Names of the machines that the token is limited to, by id. */
  machineNames: ReadonlyMap<string, string>;
  /** Calls of the last 30 days. */
  callCount: number;
  /** Client address of the last recorded use. */
  lastUsedAddress: string | null;
  publicUrl: string;
}

export function TokenPage({ token, machineNames, callCount, lastUsedAddress, publicUrl }: TokenPageProps) {
  return (
    <>
      <PageHead heading={token.name} parentLink={{ path: '/console/tokens', text: 'Tokens' }} />
      <section class="card">
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <TokenStateBadge state={token.state} />
          </dd>
          <dt>Secret</dt>
          <dd class="mono">{`${token.prefix}…${token.last4}`}</dd>
          <dt>ID</dt>
          <dd>
            <Id value={token.id} subject="token" />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={token.createdAt} />
          </dd>
          <dt>Last used</dt>
          <dd>
            <Time at={token.lastUsedAt} />
            {lastUsedAddress !== null && (
              <>
                {' from '}
                <span class="mono">{lastUsedAddress}</span>
              </>
            )}
          </dd>
          <dt>Machines</dt>
          <dd>
            <TokenMachines machineIds={token.machineIds} names={machineNames} />
          </dd>
          <dt>Calls</dt>
          <dd>{`${callCount.toLocaleString('en-US')} in the last 30 days`}</dd>
          <dt>Expires</dt>
          <dd>
            <Time at={token.expiresAt} />
          </dd>
        </dl>
        <h2>Scopes</h2>
        <ScopeList scopes={token.scopes} />
      </section>
      {token.state === 'active' && <TokenActions token={token} />}
      {isSharable(token) && <ShareSessionsSection granteeId={token.id} name={token.name} publicUrl={publicUrl} />}
    </>
  );
}

function TokenActions({ token: { id, name } }: { token: ExternalTokenDto }) {
  return (
    <>
      <section class="acts" aria-label="Change">
        <RenameInPlace name={name} action={`/console/tokens/${id}/rename`} />
        <ConfirmAction
          label="Rotate"
          action={`/console/tokens/${id}/rotate`}
          isHarmless
          fields={<InlineSelect name="overlapSeconds" label="The old secret expires" options={TOKEN_OVERLAP_OPTIONS} />}
        >
          The token gets a new secret and keeps its name, scopes, machines and expiry. Scripts that use the old secret
          stop working when it expires.
        </ConfirmAction>
      </section>
      <DangerZone>
        <ConfirmAction
          label="Revoke"
          action={`/console/tokens/${id}/revoke`}
          fields={
            <label class="box">
              <input type="checkbox" name="webhooks" value="delete" />
              <span>Also delete the webhooks created with it</span>
            </label>
          }
        >
          Everything that uses this token stops working within a second. It can’t be undone.
        </ConfirmAction>
      </DangerZone>
    </>
  );
}

function TokenStateBadge({ state }: Pick<ExternalTokenDto, 'state'>) {
  return <Badge tone={state === 'active' ? 'good' : 'quiet'}>{state}</Badge>;
}
