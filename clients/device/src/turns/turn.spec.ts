import { createFirstTurnReport } from '../history/turn-announcer';
import { Turn } from './turn';
import type { TurnEntry } from './turn-journal';

function createTurn() {
  const saved: TurnEntry[] = [];
  const entry: TurnEntry = {
    ...{ requestId: 'req_1', sessionId: 'ses_1', caller: 'pat', prompt: 'x', deadline: 0, createdAt: 0 },
    ...{ isPrompted: false, isSettled: false, report: createFirstTurnReport() },
  };
  const save = (changed: TurnEntry) => Promise.resolve(void saved.push(changed));
  return { saved, turn: new Turn(entry, save, () => undefined) };
}

it('never ends before it begins, though the clock was set back', async () => {
  const { turn, saved } = createTurn();
  await turn.markPrompted(2_000);
  await turn.changeState({ state: 'completed', stopReason: 'end_turn', endedAt: 1_000 });
  expect(saved.map(({ report }) => [report.state, report.startedAt, report.endedAt])).toEqual([
    ['running', 2_000, null],
    ['completed', 2_000, 2_000],
  ]);
});

it('has one reply of all messages, separated by blank lines, once it has ended', async () => {
  const { turn } = createTurn();
  turn.addReplyText('one');
  turn.addReplyText('two');
  expect(turn.reply).toBeNull();
  await turn.changeState({ state: 'completed', stopReason: 'end_turn', endedAt: 1 });
  expect(turn.reply).toBe('one\n\ntwo');
});

it('has a reply of 262,144 characters at most, with its blank lines', async () => {
  const { turn } = createTurn();
  for (let count = 0; count < 65; count++) turn.addReplyText('x'.repeat(4_096));
  await turn.changeState({ state: 'completed', stopReason: 'end_turn', endedAt: 1 });
  expect(turn.reply).toHaveLength(262_144);
});
