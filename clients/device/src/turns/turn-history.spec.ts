import { SessionDeltas } from '../live/session-deltas';
import type { SessionProgress } from '../live/session-progress';
import type { SessionHistory } from '../history/session-history';
import type { Turn } from './turn';
import { TurnHistory } from './turn-history';

it('gives no message the place of one that could not be appended, whose text may have been read', async () => {
  const positions: unknown[] = [];
  const history = {
    isFull: true,
    appendTurnMessage: (_: string, position: number) => {
      positions.push(position);
      return Promise.resolve({ stored: Promise.resolve('msg_1') });
    },
  };
  const turn = { id: 'turn_1', requestId: 'req_1', addReplyText: () => undefined };
  const shown: string[] = [];
  const deltas: Pick<SessionDeltas, 'addText' | 'completeMessage' | 'discardMessage'> = {
    addText: ({ localId }) => void shown.push(localId),
    completeMessage: () => undefined,
    discardMessage: (localId) => void shown.push(`${localId} stored`),
  };
  const turnHistory = new TurnHistory(
    turn as unknown as Turn,
    history as unknown as SessionHistory,
    deltas as SessionDeltas,
    {} as SessionProgress,
  );
  turnHistory.showAgentText('lost');
  expect(() => turnHistory.appendAgentMessage('lost')).toThrow('too many messages');
  history.isFull = false;
  turnHistory.showAgentText('kept');
  turnHistory.appendAgentMessage('kept');
  await turnHistory.waitUntilAppended();
  expect(positions).toEqual([2]);
  expect(shown).toEqual(['req_1:1', 'req_1:2', 'req_1:2 stored']);
});

it('leaves a message its place while other messages are appended', async () => {
  const positions: unknown[] = [];
  const appendTurnMessage = (_: string, position: number) => {
    positions.push(position);
    return Promise.resolve({ stored: Promise.resolve('msg_1') });
  };
  const shown: string[] = [];
  const deltas = { addText: ({ localId }: { localId: string }) => void shown.push(localId) };
  const turnHistory = new TurnHistory(
    { id: 'turn_1', requestId: 'req_1', addReplyText: () => undefined } as unknown as Turn,
    { appendTurnMessage } as unknown as SessionHistory,
    { ...deltas, completeMessage: () => undefined, discardMessage: () => undefined } as unknown as SessionDeltas,
    {} as SessionProgress,
  );
  turnHistory.showAgentText('Hel');
  turnHistory.appendNotice('A note.');
  turnHistory.showAgentText('lo');
  turnHistory.appendAgentMessage('Hello');
  turnHistory.appendAgentMessage('Never shown');
  await turnHistory.waitUntilAppended();
  expect(shown).toEqual(['req_1:1', 'req_1:1']);
  expect(positions).toEqual([2, 1, 3]);
});
