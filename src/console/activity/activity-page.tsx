import type { Page } from '../../common/pages';
import type { ActivityRecord } from '../../relay';
import { Badge } from '../parts/badge';
import { Copyable } from '../parts/copyable';
import { Empty } from '../parts/empty';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Table, type Column } from '../parts/table';
import { Time } from '../parts/time';

const DONE: Record<ActivityRecord['method'], string> = {
  'machine.invoke': 'Ran a command',
  'session.message': 'Sent a message',
};

const FAILED: Record<NonNullable<ActivityRecord['outcome']>, string> = {
  not_delivered: 'not delivered',
  unknown: 'unknown',
  answered: 'failed there',
};

const COLUMNS: readonly Column<ActivityRecord>[] = [
  { name: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'What',
    cell: ({ method, sessionId, machineId }) => (
      <>
        {DONE[method]}
        <small class="mono">{machineId ?? sessionId}</small>
      </>
    ),
  },
  {
    name: 'By',
    cell: ({ caller, isApp }) => (
      <>
        {caller ?? <span class="none">deleted</span>}
        <small>{isApp ? 'App' : 'Token'}</small>
      </>
    ),
  },
  { name: 'Device', cell: ({ device }) => device ?? <span class="none">none</span> },
  { name: 'Outcome', cell: (call) => <OutcomeCell call={call} /> },
  { name: 'Took', isNumber: true, cell: ({ totalMs }) => (totalMs === null ? '–' : `${totalMs} ms`) },
];

interface ActivityPageProps {
  calls: Page<ActivityRecord>;
  cursor: string | undefined;
  publicUrl: string;
}

export function ActivityPage({ calls, cursor, publicUrl }: ActivityPageProps) {
  return (
    <>
      <PageHead
        heading="Activity"
        about="Commands and messages that reached for your devices in the last 30 days: when, by whom, and what came of it. What was in them is not kept."
      />
      {calls.data.length === 0 && cursor === undefined ? (
        <Empty heading="Nothing was called yet">
          <p>
            With a token that may <code>machines:invoke</code>, and the id of one of your machines:
          </p>
          <Copyable block label="First command" text={invokeCurl(publicUrl)} />
        </Empty>
      ) : (
        <Table
          caption="Relayed calls, the newest first"
          columns={COLUMNS}
          rows={calls.data}
          keyOf={({ requestId }) => requestId}
        />
      )}
      <Pager path="/console/activity" cursor={cursor} nextCursor={calls.nextCursor} />
    </>
  );
}

function OutcomeCell({ call: { status, code, outcome, requestId } }: { call: ActivityRecord }) {
  const tone = status < 300 ? 'good' : outcome === 'unknown' ? 'waiting' : 'bad';
  const failed = outcome === null ? 'refused' : FAILED[outcome];
  return (
    <>
      <Badge tone={tone}>{status < 300 ? 'done' : failed}</Badge>
      {code !== null && <small>{`${status} ${code}`}</small>}
      <small class="mono">{requestId}</small>
    </>
  );
}

function invokeCurl(publicUrl: string): string {
  return [
    `curl ${publicUrl}/external/v1/machines/$MACHINE/invoke \\`,
    `  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\`,
    `  -d '{"command":"uname","args":["-a"]}'`,
  ].join('\n');
}
