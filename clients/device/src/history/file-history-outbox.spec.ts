import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileHistoryOutbox } from './file-history-outbox';

const folder = mkdtempSync(join(tmpdir(), 'outbox-'));
afterAll(() => rmSync(folder, { recursive: true }));

const openOutbox = () => new FileHistoryOutbox(join(folder, 'outbox'), join(folder, 'rejected'));
const createEntry = (localId: string) => ({ sessionId: 'ses_1', localId, role: 'user', content: 'sealed' }) as const;

it('keeps the order of its messages over restarts, also when the first are gone', async () => {
  const first = openOutbox();
  await first.loadEntries();
  const stored = [];
  for (const localId of ['one', 'two', 'three']) stored.push(await first.storeEntry(createEntry(localId)));
  for (const entry of stored.slice(0, 2)) await entry.remove();
  for (const localId of ['four', 'five']) {
    const reopened = openOutbox();
    await reopened.loadEntries();
    await reopened.storeEntry(createEntry(localId));
  }
  const entries = await openOutbox().loadEntries();
  expect(entries.map(({ entry }) => entry.localId)).toEqual(['three', 'four', 'five']);
});
