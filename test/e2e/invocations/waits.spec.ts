import { ChangeWaitRegistry } from '../../../src/core/waits/change-wait-registry';
import { expectStatus } from '../../support/device/foreign-device';
import { buildInvocationReport, InvocationFixture } from '../../support/invocation-fixture';
import { fetchAllIds } from '../../support/list-pages';
import { waitFor } from '../../support/wait-for';

describe('invocations of a machine', () => {
  let fixture: InvocationFixture;

  beforeAll(async () => {
    fixture = await InvocationFixture.start();
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture?.stop());

  const waitForWaits = (count: number) =>
    waitFor(() => {
      const waits = fixture.relay.service.app.get(ChangeWaitRegistry, { strict: false });
      expect(waits.keys.flatMap((key) => waits.getWaits(key))).toHaveLength(count);
    }, 20_000);

  it('answer a waiting caller when the command ends', async () => {
    const invocation = await fixture.startInvocation();
    const answer = fixture.readInvocation(invocation.id, '?waitMs=28000');
    await waitForWaits(1);
    expectStatus(await fixture.report(invocation, buildInvocationReport('completed', 2)), 200);
    expect(await answer).toMatchObject({ state: 'completed', version: 3 });
    expect(await fixture.readInvocation(invocation.id, '?waitMs=28000&afterVersion=99')).toMatchObject({
      state: 'completed',
    });
  });

  it('answer when the time is up, and at once for a version that the caller does not know', async () => {
    const { id } = await fixture.startInvocation();
    expect(await fixture.readInvocation(id, '?waitMs=100')).toMatchObject({ state: 'running', version: 2 });
    expect(await fixture.readInvocation(id, '?waitMs=28000&afterVersion=1')).toMatchObject({ version: 2 });
  });

  it('are listed in pages, newest first, and by state', async () => {
    const machine = await fixture.relay.createMachine(['invocation']);
    machine.socket.setHandler(() => ({ ok: true, result: buildInvocationReport('running', 1) }));
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      ids.unshift(expectStatus(await fixture.start({}, {}, machine.id), 202).data.id);
    }
    const path = fixture.getPath('', machine.id);
    expect(await fetchAllIds(fixture.relay.http, fixture.relay.token, path, { limit: 2 })).toEqual(ids);
    const completed = await fixture.relay.http.get(`${path}?state=completed`, fixture.relay.token);
    expect(expectStatus(completed, 200).data).toEqual([]);
  });
});
