import type { Page } from '../../common/pages';
import type { ExternalTokenRecord } from '../../external-tokens';
import { Copyable } from '../parts/copyable';
import { Empty } from '../parts/empty';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Table, type Column } from '../parts/table';
import { Time } from '../parts/time';
import { meCurl } from './me-curl';
import { TokenState } from './token-state';

const COLUMNS: readonly Column<ExternalTokenRecord>[] = [
  {
    name: 'Token',
    cell: ({ id, name, prefix, last4 }) => (
      <>
        <a href={`/console/tokens/${id}`}>{name}</a>
        <small class="mono">{`${prefix}…${last4}`}</small>
      </>
    ),
  },
  { name: 'May', cell: ({ scopes }) => <span class="mono">{scopes.join(' ')}</span> },
  { name: 'State', cell: ({ state }) => <TokenState state={state} /> },
  { name: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];

interface TokenListProps {
  tokens: Page<ExternalTokenRecord>;
  cursor: string | undefined;
  publicUrl: string;
}

export function TokenList({ tokens, cursor, publicUrl }: TokenListProps) {
  return (
    <>
      <PageHead
        heading="Tokens"
        about="For your own scripts. Each may do what its scopes say, and no more."
        act={{ path: '/console/tokens/new', text: 'New token' }}
      />
      {tokens.data.length === 0 && cursor === undefined ? (
        <Empty heading="No token yet">
          <p>
            Make one and put it into <code>TOKEN</code>. The first call then is:
          </p>
          <Copyable block label="First call" text={meCurl(publicUrl)} />
        </Empty>
      ) : (
        <Table caption="Your tokens, the newest first" columns={COLUMNS} rows={tokens.data} keyOf={({ id }) => id} />
      )}
      <Pager path="/console/tokens" cursor={cursor} nextCursor={tokens.nextCursor} />
    </>
  );
}
