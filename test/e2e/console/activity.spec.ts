import { DAY } from '../../../src/common/clock';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const PATH = '/console/activity';

describe('the console’s page of activity', () => {
  let fixture: RelayFixture;
  let visitor: ConsoleClient;
  let first: ConnectedMachine;
  let second: ConnectedMachine;
  /** Request ids of three calls to the first machine and of one to the second. */
  let ids: Record<'done' | 'timedOut' | 'failed' | 'elsewhere', string>;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    visitor = await ConsoleClient.signIn(fixture.service.url, fixture.ada);
    first = await fixture.createMachine();
    second = await fixture.createMachine();
    const call = async ({ socket, id }: ConnectedMachine, answer: any): Promise<string> => {
      socket.setHandler(() => answer);
      const httpResponse = await fixture.invokeMachine(id, { command: 'a-command-to-find' });
      return (await fixture.readAuditRecord(httpResponse)).requestId;
    };
    ids = {
      done: await call(first, { ok: true, result: { stdout: 'an-output-to-find', timedOut: false } }),
      timedOut: await call(first, { ok: true, result: { stdout: '', timedOut: true } }),
      failed: await call(first, { ok: false, error: { code: 'internal', message: 'x' } }),
      elsewhere: await call(second, { ok: true, result: {} }),
    };
  });
  afterAll(() => fixture?.stop());

  const findListed = (html: string) =>
    Object.entries(ids).flatMap(([name, id]) => (html.includes(`href="${PATH}/${id}"`) ? [name] : []));
  const read = async (query = '') => {
    const { status, html } = await visitor.get(PATH + query);
    expect(status).toBe(200);
    return findListed(html);
  };
  const readCsv = async (query = '', client = visitor) => {
    const { status, headers, html } = await client.get(`${PATH}.csv${query}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    return html.trim().split('\r\n').slice(1);
  };
  const signUp = async () => {
    const device = await ForeignAccountDevice.signUp(fixture.http);
    return { device, client: await ConsoleClient.signIn(fixture.service.url, device) };
  };

  it('filters by caller, device, outcome and time', async () => {
    expect(await read()).toEqual(['done', 'timedOut', 'failed', 'elsewhere']);
    expect(await read(`?deviceId=${first.device.id}`)).toEqual(['done', 'timedOut', 'failed']);
    expect(await read(`?deviceId=${second.device.id}`)).toEqual(['elsewhere']);
    expect(await read(`?callerId=${fixture.tokenId}`)).toEqual(['done', 'timedOut', 'failed', 'elsewhere']);
    expect(await read('?callerId=tok_unknown')).toEqual([]);
    expect(await read('?callerId=svc_oapp_unknown')).toEqual([]);
    expect(await read('?outcome=done')).toEqual(['done', 'elsewhere']);
    expect(await read('?outcome=timed_out')).toEqual(['timedOut']);
    expect(await read('?outcome=device_error')).toEqual(['failed']);
    expect(await read(`?outcome=failed&deviceId=${first.device.id}`)).toEqual(['timedOut', 'failed']);
    expect(await read('?outcome=not_delivered')).toEqual([]);
    const tomorrow = new Date(Date.now() + DAY).toISOString().slice(0, 16);
    expect(await read(`?since=${tomorrow}`)).toEqual([]);
    expect(await read(`?until=${tomorrow}&outcome=&callerId=`)).toHaveLength(4);
  });

  it('uses the same filters in the file', async () => {
    const query = `?deviceId=${first.device.id}&outcome=failed`;
    const { html } = await visitor.get(PATH + query);
    expect(html.replaceAll('&amp;', '&')).toContain(`href="${PATH}.csv${query}"`);
    const lines = await readCsv(query);
    expect(lines.map((line) => line.split(',')[1])).toEqual([ids.failed, ids.timedOut]);
  });

  it.each(['outcome=lost', 'since=yesterday'])('refuses the filter %s and lists nothing', async (query) => {
    const { status, html } = await visitor.get(`${PATH}?${query}`);
    expect([status, findListed(html)]).toEqual([400, []]);
    expect(html).not.toContain('data-live="true"');
  });

  it('doesn’t show a command that its time limit ended as done', async () => {
    const { html } = await visitor.get(`${PATH}?outcome=timed_out`);
    expect(html).toContain('data-live="true"');
    expect(html).toContain('>timed out</span>');
    expect(html).not.toContain('>done</span>');
  });

  it('shows the details of a call to its own account only', async () => {
    const { html } = await visitor.get(`${PATH}/${ids.failed}`);
    for (const text of ['device error', '502 device_error', ids.failed, first.id, fixture.tokenId]) {
      expect(html).toContain(text);
    }
    const { client: mallory } = await signUp();
    expect((await mallory.get(`${PATH}/${ids.failed}`)).status).toBe(404);
    expect(findListed((await mallory.get(PATH)).html)).toEqual([]);
    expect(await readCsv(`?callerId=${fixture.tokenId}`, mallory)).toEqual([]);
    for (const id of ['nonsense', 'req_00000000000000000000000000']) {
      expect((await visitor.get(`${PATH}/${id}`)).status).toBe(404);
    }
  });

  it('exports no content, and no formulas', async () => {
    const { device, client } = await signUp();
    const { id } = await device.createToken(['machines:invoke'], { name: '=1+1,"quoted"' });
    const names = ['=cmd()', '+1', '-1', '@sum', 'plain'];
    for (const [index, name] of names.entries()) {
      const machine = await device.pairDevice('machine', name);
      await queryDatabase(
        fixture.service,
        `INSERT INTO relay_calls (request_id, account_id, method, device_id, token_id, request_bytes, status,
                                  created_at)
         VALUES ($1, $2, 'machine.invoke', $3, $4, 1, 200, $5)`,
        [`req_guard${index}`, device.accountId, machine.id, id, new Date(Date.now() - index * 1_000)],
      );
    }
    const lines = await readCsv('', client);
    for (const [index, name] of names.entries()) {
      expect(lines[index]).toContain(`,"'=1+1,""quoted""",`);
      expect(lines[index]).toContain(`,${name === 'plain' ? name : `'${name}`},`);
    }
    const own = (await readCsv()).join('');
    for (const text of ['command-to-find', 'output-to-find']) expect(own).not.toContain(text);
  });

  it('exports more calls than a page has', async () => {
    const { device, client } = await signUp();
    await queryDatabase(
      fixture.service,
      `INSERT INTO relay_calls (request_id, account_id, method, token_id, request_bytes, status, created_at)
       SELECT 'req_many' || i, $1, 'machine.invoke', 'tok_1', 1, 200, now() - i * interval '1 second'
         FROM generate_series(1, 1001) i`,
      [device.accountId],
    );
    const exported = (await readCsv('', client)).map((line) => line.split(',')[1]);
    expect(new Set(exported).size).toBe(1001);
    expect(exported.slice(0, 2)).toEqual(['req_many1', 'req_many2']);
  });

  it('needs a browser login', async () => {
    const stranger = new ConsoleClient(fixture.service.url);
    for (const path of [PATH, `${PATH}/${ids.done}`, `${PATH}.csv`]) {
      const { status, html } = await stranger.get(path);
      expect([303, 401]).toContain(status);
      expect(html).not.toContain(ids.done);
    }
  });
});
