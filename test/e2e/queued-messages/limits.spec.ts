import { generateId } from '../../../src/common/ids';
import { queryDatabase } from '../../support/database';
import { expectProblem } from '../../support/problems';
import { QueuedSession } from '../../support/queued-session';
import { RelayFixture } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';

describe('the number of queued messages', () => {
  let fixture: RelayFixture;
  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  afterAll(() => fixture?.stop());

  const createSession = async () => {
    const device = await fixture.ada.pairDevice('machine');
    return new QueuedSession(fixture.http, fixture.token, (await fixture.ada.createSession(device)).id);
  };

  it.each([
    { owner: 'session', limit: 100, isSame: true },
    { owner: 'account', limit: 1_000, isSame: false },
  ])('of a $owner is at most $limit, and a message that ends makes room', async ({ limit, isSame }) => {
    await queryDatabase(fixture.service, 'DELETE FROM queued_messages');
    const session = await createSession();
    const filled = isSame ? session : await createSession();
    await queryDatabase(
      fixture.service,
      `INSERT INTO queued_messages (id, account_id, session_id, position, size_bytes, expires_at, due_at, created_at)
       SELECT $3 || i, $1, $2, i, 0, now() + interval '1 day', now() + interval '1 day', now()
         FROM generate_series(1, $4::integer) i`,
      [fixture.ada.accountId, filled.id, generateId('qmsg'), limit - 1],
    );
    const last = await session.queueMessage('fits');
    expect(expectProblem(await session.postMessage('one more'), 403, 'plan_limit_exceeded').limit).toBe(limit);
    // A message can't be cancelled while a device is looked for, which happens once it is queued.
    await waitFor(async () => expect((await session.cancelMessage(last)).status).toBe(204));
    await session.queueMessage('fits again');
  });
});
