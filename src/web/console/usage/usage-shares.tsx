import type { CallerUsage, OperationUsage, UsageShare } from '../../../modules/usage';
import { Table, type TableColumn } from '../components/table';
import { formatNumber } from './usage-format';

/** Rows of each table. The calls of all others are summed up in a last row. */
export const MAX_SHARES = 10;

interface Share extends UsageShare {
  key: string;
  name: string;
  /** Kind of the caller. */
  kind?: string;
  /** Page of the token. */
  path?: string;
}

interface UsageSharesProps {
  callers: readonly CallerUsage[];
  operations: readonly OperationUsage[];
  /** All calls of the same days. */
  total: UsageShare;
  dayCount: number;
}

/** Shows which tokens, apps and operations the calls are of, as tables with bars. */
export function UsageShares({ callers, operations, total, dayCount }: UsageSharesProps) {
  const period = `the last ${dayCount} days`;
  return (
    <>
      <ShareSection id="callers" title={`Calls by token and app, ${period}`} name="Token or app">
        {addOthers(callers.map(toCallerShare), total)}
      </ShareSection>
      <ShareSection id="operations" title={`Calls by operation, ${period}`} name="Operation">
        {addOthers(
          operations.map(({ operation, ...counts }) => ({ key: operation, name: operation, ...counts })),
          total,
        )}
      </ShareSection>
    </>
  );
}

interface ShareSectionProps {
  id: string;
  title: string;
  /** Name of the first column. */
  name: string;
  children: readonly Share[];
}

function ShareSection({ id, title, name, children: shares }: ShareSectionProps) {
  const most = Math.max(...shares.map(({ requests }) => requests));
  const columns: readonly TableColumn<Share>[] = [
    { name, cell: (share) => <ShareName share={share} /> },
    { name: 'Share', cell: (share) => <ShareBar share={share} most={most} /> },
    { name: 'Calls', cell: ({ requests }) => formatNumber(requests), isNumber: true },
    { name: 'Errors', cell: ({ errors }) => formatNumber(errors), isNumber: true },
    { name: 'Limited', cell: ({ rateLimited }) => formatNumber(rateLimited), isNumber: true },
  ];
  return (
    <section class="part shares" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Table caption={title} columns={columns} rows={shares} getKey={({ key }) => key} />
    </section>
  );
}

function ShareName({ share: { name, kind, path } }: { share: Share }) {
  return (
    <>
      {path === undefined ? <strong>{name}</strong> : <a href={path}>{name}</a>}
      {kind !== undefined && <small>{kind}</small>}
    </>
  );
}

/** Bar of the calls with the errors among them in front. The numbers beside it say the same. */
function ShareBar({ share: { requests, errors }, most }: { share: Share; most: number }) {
  return (
    <svg class="share" viewBox={`0 0 ${most} 10`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="calls" width={requests} height={10} />
      <rect class="errors" y={3.5} width={errors} height={3} />
    </svg>
  );
}

function toCallerShare({ id, name, isApp, ...counts }: CallerUsage): Share {
  if (id === null) return { key: 'deleted', name: 'Deleted tokens and apps', ...counts };
  const kind = isApp ? 'authorized app' : 'token';
  return { key: id, name: name ?? id, kind, path: isApp ? undefined : `/console/tokens/${id}`, ...counts };
}

/** Adds the calls that the shares don't contain. */
function addOthers(shares: readonly Share[], total: UsageShare): Share[] {
  const remaining = (name: keyof UsageShare) =>
    Math.max(0, total[name] - shares.reduce((sum, share) => sum + share[name], 0));
  if (shares.length < MAX_SHARES || remaining('requests') === 0) return [...shares];
  const others = {
    requests: remaining('requests'),
    errors: remaining('errors'),
    rateLimited: remaining('rateLimited'),
  };
  return [...shares, { key: 'others', name: 'All others', ...others }];
}
