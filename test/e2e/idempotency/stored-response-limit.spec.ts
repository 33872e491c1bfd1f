import { AccountAdminService } from '../../../src/modules/accounts';
import { TokenCache } from '../../../src/access/auth';
import { queryDatabase } from '../../support/database';
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
  const limit = async (maxKeptAnswerBytes: number | null) => {
    const { accountId } = fixture.ada;
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

  it('free their space an hour after they expire', async () => {
    connectedMachine.socket.setHandler(() => ({ ok: true, result: { stdout: OUTPUT } }));
    await limit(25_000);
    await invoke('beyond');
    expectProblem(await invoke('beyond'), 409, 'answer_not_kept');
    await queryDatabase(fixture.service, `UPDATE kept_answer_hours SET hour = hour - interval '25 hours'`);
    const kept = await invoke('within');
    const again = await invoke('within');
    expect([again.status, again.body]).toEqual([200, kept.body]);
  });

  it('count per account', async () => {
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
