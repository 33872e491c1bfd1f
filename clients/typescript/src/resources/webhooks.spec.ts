import { ApiError } from '../errors.ts';
import type { Transport } from '../http/transport.ts';
import { Webhooks } from './webhooks.ts';

describe('the deletion of a webhook', () => {
  const deleteAfter = (attempts: number, code: string) => {
    const error = Object.assign(new ApiError({ status: 404, code, message: 'x' }), { attempts });
    return new Webhooks({ request: () => Promise.reject(error) } as unknown as Transport).delete('wh_1');
  };

  it('succeeds if an earlier attempt has deleted it, whose response was lost', async () => {
    await expect(deleteAfter(2, 'not_found')).resolves.toBeUndefined();
  });

  it.each([
    ['at the first attempt', 1, 'not_found'],
    ['for another reason', 2, 'unexpected_response'],
  ])('fails if there is none %s', async (_, attempts, code) => {
    await expect(deleteAfter(attempts, code)).rejects.toMatchObject({ code });
  });
});
