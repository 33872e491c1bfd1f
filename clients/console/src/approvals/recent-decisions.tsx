import { useEffect, useState } from 'preact/hooks';
import { Badge, Table, type TableColumn } from '@external-api/pages';
import { RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { PermissionRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';
import { STATE_TONES } from './approval-card';
import { FinalState } from './decision-status';
import { openApproval, type Approval, type ApprovalSession } from './open-approval';

/** Ciphertext is part of the list, so it is short. */
const RECENT_LIMIT = 20;
const MAX_SHOWN = 10;

interface RecentDecisionsProps {
  api: AccountApi;
  readSession: (sessionId: string) => Promise<ApprovalSession>;
  /** Requests that the page shows above. */
  hiddenIds: ReadonlySet<string>;
  isShown: boolean;
}

/** What was decided before the page was opened, and by whom. */
export function RecentDecisions({ api, readSession, hiddenIds, isShown }: RecentDecisionsProps) {
  const [recent, setRecent] = useState<Approval[]>([]);
  useEffect(() => {
    const readRecent = async () => {
      const { data } = await api.getPage<PermissionRecord>('/v1/permission-requests', { limit: RECENT_LIMIT });
      const decided = data.filter(({ state }) => state !== 'pending');
      setRecent(
        await Promise.all(decided.map(async (record) => openApproval(record, await readSession(record.sessionId)))),
      );
    };
    // The page is complete without them.
    readRecent().catch(() => undefined);
  }, []);
  const rows = recent.filter(({ record }) => !hiddenIds.has(record.id)).slice(0, MAX_SHOWN);
  if (!isShown || rows.length === 0) return null;
  return (
    <section class="part">
      <h2>Decided recently</h2>
      <Table
        caption="Requests that were decided recently"
        columns={COLUMNS}
        rows={rows}
        getKey={({ record }) => record.id}
      />
    </section>
  );
}

const COLUMNS: readonly TableColumn<Approval>[] = [
  {
    name: 'Request',
    cell: ({ record, question, form, session }) => (
      <>
        <bdi>{question?.title ?? showInvisibleCharacters(form?.title ?? record.kind)}</bdi>
        <small>
          <a href={`/console/sessions/${record.sessionId}`}>
            <bdi>{showInvisibleCharacters(session.title)}</bdi>
          </a>
        </small>
      </>
    ),
  },
  { name: 'State', cell: ({ record: { state } }) => <Badge tone={STATE_TONES[state]}>{state}</Badge> },
  {
    name: 'Decision',
    cell: ({ record }) => (
      <span>
        <FinalState record={record} />
      </span>
    ),
  },
  { name: 'Asked', cell: ({ record }) => <RelativeTime at={record.createdAt} /> },
];
