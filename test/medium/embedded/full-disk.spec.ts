import { loadConfig } from '../../../src/config';
import { openDataSource } from '../../../src/persistence/data-source';
import { migratedFolder } from '../../support/data-folder';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { KeptSession } from '../../support/device/kept-session';
import { problem } from '../../support/problems';
import { ServiceProcess } from '../../support/service-process';
import { describeWithSmallDisks, SmallDisk } from '../../support/small-disk';

const MB = 1024 ** 2;
const SEGMENT_BYTES = 16 * MB;
/** Of the write-ahead log's segment: at less than a quarter, a checkpoint would make the next one. */
const LEFT_BYTES = 5 * MB;

describeWithSmallDisks('the embedded database on a disk that fills up', () => {
  let disk: SmallDisk;
  let env: { DATA_DIR: string };
  let service: ServiceProcess;
  beforeEach(() => {
    disk = SmallDisk.make(128);
    env = { DATA_DIR: migratedFolder(disk.dir) };
  });
  afterEach(async () => {
    await service?.stop('SIGKILL');
    disk?.remove();
  });

  /** Messages, twenty at once, until they are refused; the ids of those that were taken, and the refusal. */
  async function writeUntilRefused(session: KeptSession) {
    const taken: string[] = [];
    for (let n = 0; ; n += 20) {
      const text = 'of some length '.repeat(200);
      const batch = Array.from({ length: 20 }, (_, i) => session.message(`text-${n + i}`, 'user', text));
      const answer = await session.post(batch).catch(() => null);
      if (answer?.status !== 201) return { taken, refusal: answer };
      taken.push(...answer.body.data.map(({ id }: { id: string }) => id));
    }
  }

  /** Whether all of these are in the session: pages of 200, oldest first. */
  async function expectKept(ids: string[], ada: AccountDevice, session: KeptSession): Promise<void> {
    const kept = new Set<string>();
    let cursor = '';
    do {
      const path = `/v1/sessions/${session.id}/messages?limit=200${cursor}`;
      const { data, nextCursor } = ok(await service.http.get(path, ada.token), 200);
      for (const { id } of data) kept.add(id);
      cursor = nextCursor ? `&cursor=${nextCursor}` : '';
    } while (cursor);
    expect(ids.filter((id) => !kept.has(id))).toEqual([]);
  }

  it('refuses what has no room with 503, reads on, and writes again once there is room', async () => {
    service = await ServiceProcess.start(env);
    const ada = await AccountDevice.signUp(service.http);
    const session = await KeptSession.open(ada);
    await session.append('before');
    disk.fill(MB);
    const { taken, refusal } = await writeUntilRefused(session);
    problem(refusal!, 503, 'service_unavailable');
    await expectKept(taken, ada, session);
    ok(await service.http.get('/health/ready'), 200);
    disk.makeRoom();
    await session.append('after');
    await expectKept(taken, ada, session);
  });

  it('leaves with a line when its log has no room, and has what was acknowledged when it starts again', async () => {
    await useUpLog();
    service = await ServiceProcess.start(env);
    const ada = await AccountDevice.signUp(service.http);
    const session = await KeptSession.open(ada);
    disk.fill(SEGMENT_BYTES - 2 * MB);
    const { taken } = await writeUntilRefused(session);
    expect(taken.length).toBeGreaterThan(0);
    const { code, stderr } = await service.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database in DATA_DIR .* has ended .* No space left on device\n$/);
    const again = await ServiceProcess.run(env);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/^The database in DATA_DIR .* room on its disk.*\n$/);
    disk.makeRoom();
    service = await ServiceProcess.start(env);
    await expectKept(taken, ada, session);
  }, 180_000);

  /** Writes the segment of the write-ahead log nearly full: the next one does not fit on the disk. */
  async function useUpLog(): Promise<void> {
    const database = await openDataSource(loadConfig(env), []);
    const [{ used }] = await database.query(`SELECT (pg_current_wal_insert_lsn() - '0/0') % ${SEGMENT_BYTES} AS used`);
    const fill = SEGMENT_BYTES - LEFT_BYTES - Number(used);
    await database.query(`SELECT pg_logical_emit_message(false, 'test', repeat('x', $1))`, [fill]);
    await database.destroy();
  }
});
