import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFirstTurnReport } from '../history/turn-announcer';
import { FileTurnJournal } from './file-turn-journal';
import type { TurnEntry } from './turn-journal';

const QUEUED: TurnEntry = {
  requestId: 'req_01',
  sessionId: 'ses_1',
  caller: null,
  prompt: 'a.b.c.d.e',
  deadline: 2,
  createdAt: 1,
  isPrompted: false,
  isSettled: false,
  report: createFirstTurnReport(),
};
const PROMPTED: TurnEntry = {
  ...QUEUED,
  isPrompted: true,
  prompt: '',
  report: { ...QUEUED.report, revision: 2, state: 'running', startedAt: 1 },
};

const folder = mkdtempSync(join(tmpdir(), 'journal-'));
afterAll(() => rmSync(folder, { recursive: true }));

const getFile = () => join(folder, readdirSync(folder)[0]!);
const loadEntries = () => new FileTurnJournal(folder).loadEntries();

it('has the last state of a turn, also if the line of a later one is not complete', async () => {
  const journal = new FileTurnJournal(folder);
  await journal.saveEntry(QUEUED, false);
  await journal.saveEntry(PROMPTED, true);
  expect(await loadEntries()).toEqual([PROMPTED]);
  appendFileSync(getFile(), '\n{"requestId":"req_01","isPro');
  expect(await loadEntries()).toEqual([PROMPTED]);
  const ended = { ...PROMPTED, report: { ...PROMPTED.report, revision: 3, state: 'completed' as const } };
  await journal.saveEntry(ended, true);
  expect(await loadEntries()).toEqual([ended]);
  await journal.saveEntry({ ...ended, isSettled: true }, false);
  expect(readFileSync(getFile(), 'utf8').split('\n')).toHaveLength(1);
});

it('runs a turn again whose mark was not written to its end, since the agent did not get its prompt', async () => {
  const journal = new FileTurnJournal(folder);
  await journal.saveEntry(QUEUED, true);
  appendFileSync(getFile(), '\n{"requestId":"req_01","isPro');
  expect(await loadEntries()).toEqual([QUEUED]);
});

it('writes a turn anew whose file was deleted', async () => {
  const journal = new FileTurnJournal(folder);
  await journal.saveEntry(QUEUED, true);
  rmSync(getFile());
  await journal.saveEntry(PROMPTED, true);
  expect(await loadEntries()).toEqual([PROMPTED]);
});

it('replaces a file that its lines would make longer than 1 MiB', async () => {
  const journal = new FileTurnJournal(folder);
  await journal.saveEntry(QUEUED, true);
  const long = { ...PROMPTED, prompt: 'p'.repeat(300_000) };
  let longestSize = 0;
  for (let revision = 2; revision < 10; revision++) {
    await journal.saveEntry({ ...long, report: { ...long.report, revision } }, false);
    longestSize = Math.max(longestSize, statSync(getFile()).size);
    expect(await loadEntries()).toMatchObject([{ report: { revision } }]);
  }
  expect(longestSize).toBeGreaterThan(900_000);
  expect(longestSize).toBeLessThanOrEqual(1024 * 1024);
});
