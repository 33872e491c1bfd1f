import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR } from '../../../src/common/clock';
import { AccountAdminService } from '../../../src/modules/accounts';
import { TokenCache } from '../../../src/access/auth';
import { queryDatabase } from '../../support/database';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const OUTPUT = 'x'.repeat(10_000);

describe('the stored responses of an account', () => {
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;
  let runs = 0;
  beforeAll(async () => {
    fixture = await RelayFixture.start();
    connectedMachine = await fixture.createMachine();
    connectedMachine.socket.setHandler(() => {
      runs++;
      return { ok: true, result: { stdout: OUTPUT } };
    });
  });
  afterAll(() => fixture?.stop());

  const invoke = (key: string) =>
    fixture.invokeMachine(connectedMachine.id, {}, { headers: { 'Idempotency-Key': key } });
  const limit = async (maxKeptAnswerBytes: number | null, accountId = fixture.ada.accountId) => {
    await fixture.service.app
      .get(AccountAdminService, { strict: false })
      .setAccountLimits(accountId, { maxKeptAnswerBytes });
    fixture.service.app.get(TokenCache, { strict: false }).invalidateAccount(accountId);
  };
  const keptBytes = async () => {
    const [row] = await queryDatabase<{ bytes: string }>(
      fixture.service,
      'SELECT coalesce(sum(octet_length(answer)), 0) AS bytes FROM idempotency_keys',
    );
    return Number(row!.bytes);
  };

  /** Replaces what the account has used by bytes that were stored this many hours ago. */
  const setUsedBytes = async (bytes: number, hours: number) => {
    await queryDatabase(fixture.service, 'DELETE FROM kept_answer_hours');
    await queryDatabase(
      fixture.service,
      `INSERT INTO kept_answer_hours (account_id, hour, bytes)
       VALUES ($1, date_trunc('hour', now()) - $2::integer * interval '1 hour', $3)`,
      [fixture.ada.accountId, hours, bytes],
    );
  };
  /** Hours are those of the database, so a test that counts them must not run into the next one. */
  const awaitWholeHour = async () => {
    const leftMs = HOUR - (Date.now() % HOUR);
    if (leftMs < 10_000) await sleep(leftMs + 100);
  };

  it('stay within maxKeptAnswerBytes; calls beyond it don’t run again', async () => {
    await limit(25_000);
    const first = await Promise.all(Array.from({ length: 6 }, (_, n) => invoke(`at-once-${n}`)));
    for (const answer of first) expect(answer.body.result.stdout).toBe(OUTPUT);
    expect(await keptBytes()).toBeLessThanOrEqual(25_000);
    expect(runs).toBe(6);

    const again = await Promise.all(first.map((_, n) => invoke(`at-once-${n}`)));
    expect(runs).toBe(6);
    const replayed = again.filter(({ status }) => status === 200);
    expect(replayed).toHaveLength(2);
    for (const answer of again) {
      expect(answer.headers.get('idempotency-replayed')).toBe('true');
      const { requestId } = first[again.indexOf(answer)]!.body;
      if (answer.status === 200) expect(answer.body).toMatchObject({ requestId, result: { stdout: OUTPUT } });
      else {
        expect(expectProblem(answer, 409, 'answer_not_kept')).toMatchObject({
          firstStatus: 200,
          firstRequestId: requestId,
          outcome: 'answered',
        });
      }
    }
  });

  it('don’t exceed the limit because of late or failed answers', async () => {
    await limit(0);
    const lost = await fixture.createOfflineMachine();
    expect((await invokeAt(lost.id, 'offline')).body.outcome).toBe('not_delivered');
    connectedMachine.socket.setHandler(() => ({ ok: false, error: { code: 'nope', message: 'no' } }));
    expectProblem(await invoke('refused'), 502, 'device_error');
    expect(expectProblem(await invoke('refused'), 409, 'answer_not_kept')).toMatchObject({
      firstStatus: 502,
      outcome: 'unknown',
    });
  });

  it('count for 25 hours, which is an hour after they expire, and not longer', async () => {
    connectedMachine.socket.setHandler(() => ({ ok: true, result: { stdout: OUTPUT } }));
    await limit(25_000);
    await awaitWholeHour();
    await setUsedBytes(20_000, 24);
    await invoke('beyond');
    expectProblem(await invoke('beyond'), 409, 'answer_not_kept');
    await setUsedBytes(20_000, 25);
    const kept = await invoke('within');
    const again = await invoke('within');
    expect([again.status, again.body]).toEqual([200, kept.body]);
  });

  it('count per account', async () => {
    await setUsedBytes(25_000, 1);
    const bob = await ForeignAccountDevice.signUp(fixture.http);
    await limit(25_000, bob.accountId);
    const { token } = await bob.createToken(['webhooks:manage']);
    const createOfBob = () =>
      fixture.http.post(
        '/external/v1/webhooks',
        token,
        { url: 'https://receiver.example/', events: ['*'] },
        {
          headers: { 'Idempotency-Key': 'of-bob' },
        },
      );
    const { id } = expectStatus(await createOfBob(), 201).data;
    expect(expectStatus(await createOfBob(), 201).data.id).toBe(id);
    await limit(0);
    await invoke('mine');
    const other = await fixture.ada.createToken(['webhooks:manage']);
    const hook = { url: 'https://receiver.example/hook', events: ['*'] };
    const create = () =>
      fixture.http.post('/external/v1/webhooks', other.token, hook, { headers: { 'Idempotency-Key': 'hook' } });
    const made = await create();
    expect(made.status).toBe(201);
    expect(expectProblem(await create(), 409, 'answer_not_kept')).toMatchObject({ firstStatus: 201 });
    expect((await fixture.http.get('/external/v1/webhooks', other.token)).body.data).toHaveLength(1);
    const elsewhere = await RelayFixture.start();
    const free = await elsewhere.createMachine();
    free.socket.setHandler(() => ({ ok: true, result: { n: 1 } }));
    for (let n = 0; n < 2; n++) {
      const httpResponse = await elsewhere.invokeMachine(free.id, {}, { headers: { 'Idempotency-Key': 'mine' } });
      expect([httpResponse.status, httpResponse.body.result]).toEqual([200, { n: 1 }]);
    }
    await elsewhere.stop();
  });

  function invokeAt(machineId: string, key: string) {
    return fixture.invokeMachine(machineId, {}, { headers: { 'Idempotency-Key': key } });
  }
});
