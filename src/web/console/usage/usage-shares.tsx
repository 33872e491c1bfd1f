import { Table, type TableColumn } from '@external-api/pages';
import type { CallerUsage, OperationUsage, UsageShare } from '../../../modules/usage';
import { METHOD_LABELS } from '../activity/call-page';
import { RangeLinks } from '../forms/time-presets';
import { formatNumber } from './usage-format';
import { sumPeriods, type UsagePeriod } from './usage-periods';
import { SHARED_PERIODS, USAGE_RANGES, type UsageRangeName } from './usage-ranges';

/** Rows of each table. The calls of all others are summed up in a last row. */
export const MAX_SHARES = 10;

interface Share extends UsageShare {
  key: string;
  name: string;
  /** Kind of the caller, or ID of the operation. */
  kind?: string;
  /** Page of the token. */
  path?: string;
}

export interface UsageSharesProps {
  range: UsageRangeName;
  /** All calls of the range. */
  periods: readonly UsagePeriod[];
  /** Those with the most calls in the range. */
  callers: readonly CallerUsage[];
  operations: readonly OperationUsage[];
}

/** Shows which tokens, apps and operations the calls of a range are of, as tables with bars. */
export function UsageShares({ range, periods, callers, operations }: UsageSharesProps) {
  const { words: period } = SHARED_PERIODS[range];
  const total = {
    requests: sumPeriods(periods, ({ requests }) => requests),
    errors: sumPeriods(periods, ({ errors }) => errors),
    rateLimited: sumPeriods(periods, ({ rateLimited }) => rateLimited),
  };
  return (
    <>
      <RangeLinks path="/console/usage" ranges={USAGE_RANGES} selected={range} target="callers" />
      <ShareSection id="callers" title={`Calls by token and app, ${period}`} name="Token or app">
        {addOthers(callers.map(toCallerShare), total)}
      </ShareSection>
      <ShareSection id="operations" title={`Calls by operation, ${period}`} name="Operation">
        {addOthers(operations.map(toOperationShare), total)}
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
      {shares.length === 0 ? (
        <p class="fine">There were no calls.</p>
      ) : (
        <Table caption={title} columns={columns} rows={shares} getKey={({ key }) => key} />
      )}
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

function toOperationShare({ operation, ...counts }: OperationUsage): Share {
  const name = getOperationLabel(operation);
  return { key: operation, name, kind: name === operation ? undefined : operation, ...counts };
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

/** What calls did, by operation ID. Relayed calls have the words of the activity. */
const OPERATION_LABELS: Readonly<Record<string, string>> = {
  getMe: 'Read its own token',
  getUsage: 'Read the usage',
  streamEvents: 'Followed the account’s events',
  listSessions: 'Listed sessions',
  getSession: 'Read a session',
  getSessionContent: 'Read a session’s title',
  streamSessionEvents: 'Followed a session’s events',
  startSession: METHOD_LABELS['session.start'],
  endSession: METHOD_LABELS['session.end'],
  readSessionOptions: METHOD_LABELS['session.options'],
  changeSessionOptions: METHOD_LABELS['session.configure'],
  listMessages: 'Listed messages',
  getMessageContent: 'Read a message’s content',
  sendMessage: METHOD_LABELS['session.message'],
  listQueuedMessages: 'Listed queued messages',
  cancelQueuedMessage: 'Cancelled a queued message',
  listTurns: 'Listed turns',
  getTurn: 'Read a turn',
  cancelTurn: METHOD_LABELS['session.cancel'],
  listPermissionRequests: 'Listed permission requests',
  getPermissionRequest: 'Read a permission request',
  getPermissionRequestContent: 'Read a permission request’s content',
  decidePermissionRequest: METHOD_LABELS['session.permission'],
  listMachines: 'Listed machines',
  getMachine: 'Read a machine',
  invokeMachine: METHOD_LABELS['machine.invoke'],
  listAgentSessions: METHOD_LABELS['agent.sessions'],
  listInvocations: 'Listed long-running commands',
  startInvocation: METHOD_LABELS['invocation.start'],
  getInvocation: 'Read a long-running command',
  cancelInvocation: METHOD_LABELS['invocation.cancel'],
  streamInvocationEvents: 'Followed the output of a command',
  readInvocationOutput: METHOD_LABELS['invocation.output'],
  listArtifacts: 'Listed artifacts',
  getArtifact: 'Read an artifact',
  getArtifactContent: 'Read an artifact’s content',
  listWebhooks: 'Listed webhooks',
  createWebhook: 'Created a webhook',
  deleteWebhook: 'Deleted a webhook',
  getWebhook: 'Read a webhook',
};

/** Returns the ID itself for an operation of another release. */
export function getOperationLabel(operationId: string): string {
  return Object.hasOwn(OPERATION_LABELS, operationId) ? OPERATION_LABELS[operationId]! : operationId;
}
