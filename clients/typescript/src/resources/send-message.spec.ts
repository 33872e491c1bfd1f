import { ApiError } from '../errors.ts';
import type { Transport } from '../http/transport.ts';
import type { Problem } from '../types.ts';
import { sendMessage } from './send-message.ts';

const ENDED = { id: 'turn_first', state: 'completed', version: 3 };

describe('a message that was sent before with its key', () => {
  it('has the turn of the first call if its answer was not kept', async () => {
    const problem = { requestId: 'req_second', firstRequestId: 'req_first' } as unknown as Problem;
    const error = new ApiError({ status: 409, code: 'answer_not_kept', message: 'x', problem: { ...problem } });
    const paths: string[] = [];
    const request = (method: string, path: string) => {
      paths.push(`${method} ${path}`);
      return method === 'POST' ? Promise.reject(error) : Promise.resolve({ body: { data: ENDED } });
    };
    const sent = await sendMessage({ request } as unknown as Transport, '/sessions/ses_1', 'hello', {
      idempotencyKey: 'k-1',
    });
    expect(sent).toMatchObject({ requestId: 'req_first', turnId: 'turn_first', state: 'completed' });
    expect(paths).toEqual(['POST /sessions/ses_1/messages', 'GET /sessions/ses_1/turns/turn_first']);
  });
});
