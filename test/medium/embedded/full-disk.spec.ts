import { loadConfig } from '../../../src/core/config';
import { openDataSource } from '../../../src/core/database/data-source';
import { createMigratedFolder } from '../../support/temp-folder';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { expectProblem } from '../../support/problems';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';
import { describeWithSmallDisks, SmallDisk } from '../../support/small-disk';

const MB = 1024 ** 2;
const SEGMENT_BYTES = 16 * MB;
/** Free share of the write-ahead log's segment. Below a quarter, a checkpoint would create the next segment. */
const LEFT_BYTES = 5 * MB;

describeWithSmallDisks()('the embedded database on a disk that fills up', () => {
  let disk: SmallDisk;
  let env: { DATA_DIR: string };
  let service: ServiceProcess;
  beforeEach(() => {
    disk = SmallDisk.createDisk(128);
    env = { DATA_DIR: createMigratedFolder(disk.dir) };
  });
  afterEach(async () => {
    await service?.stop('SIGKILL');
    disk?.removeDisk();
  });

  /** Appends messages in batches of twenty until an error. Returns the ids of the stored messages and the error. */
  async function writeUntilRefused(session: DeviceSession) {
    const taken: string[] = [];
    for (let n = 0; ; n += 20) {
      const text = 'of some length '.repeat(200);
      const batch = Array.from({ length: 20 }, (_, i) => session.encryptMessage(`text-${n + i}`, 'user', text));
      const answer = await session.postMessages(batch).catch(() => null);
      if (answer?.status !== 201) return { taken, refusal: answer };
      taken.push(...answer.body.data.map(({ id }: { id: string }) => id));
    }
  }

  /** Expects the session to contain all of these messages. */
  async function expectKept(ids: string[], ada: ForeignAccountDevice, session: DeviceSession): Promise<void> {
    const kept = new Set<string>();
    let cursor = '';
    do {
      const path = `/v1/sessions/${session.id}/messages?limit=200${cursor}`;
      const { data, nextCursor } = expectStatus(await service.http.get(path, ada.token), 200);
      for (const { id } of data) kept.add(id);
      cursor = nextCursor ? `&cursor=${nextCursor}` : '';
    } while (cursor);
    expect(ids.filter((id) => !kept.has(id))).toEqual([]);
  }

  it('returns 503 for writes without space, keeps reading, and writes again when there is space', async () => {
    service = await ServiceProcess.start(env);
    const ada = await ForeignAccountDevice.signUp(service.http);
    const session = await DeviceSession.createSession(ada);
    await session.appendMessages('before');
    disk.fillDisk(MB);
    const { taken, refusal } = await writeUntilRefused(session);
    expectProblem(refusal!, 503, 'service_unavailable');
    await expectKept(taken, ada, session);
    const isReady = async (status: number) => expectStatus(await service.http.get('/health/ready'), status);
    await waitFor(() => isReady(503));
    disk.freeSpace();
    await session.appendMessages('after');
    await waitFor(() => isReady(200));
    await expectKept(taken, ada, session);
  });

  it('exits with a log line without space for its log, and has all acknowledged data after a restart', async () => {
    await useUpLog();
    service = await ServiceProcess.start(env);
    const ada = await ForeignAccountDevice.signUp(service.http);
    const session = await DeviceSession.createSession(ada);
    disk.fillDisk(SEGMENT_BYTES - 2 * MB);
    const { taken } = await writeUntilRefused(session);
    expect(taken.length).toBeGreaterThan(0);
    const { code, stderr } = await service.exited;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database in DATA_DIR .* has stopped.* No space left on device\n$/);
    const again = await ServiceProcess.runUntilExit(env);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/^The database in DATA_DIR .* its disk has free space.*\n$/);
    disk.freeSpace();
    service = await ServiceProcess.start(env);
    await expectKept(taken, ada, session);
  }, 180_000);

  /** Nearly fills the segment of the write-ahead log. The next segment doesn't fit on the disk. */
  async function useUpLog(): Promise<void> {
    const database = await openDataSource(loadConfig(env), []);
    const [{ used }] = await database.query(`SELECT (pg_current_wal_insert_lsn() - '0/0') % ${SEGMENT_BYTES} AS used`);
    const fill = SEGMENT_BYTES - LEFT_BYTES - Number(used);
    await database.query(`SELECT pg_logical_emit_message(false, 'test', repeat('x', $1))`, [fill]);
    await database.destroy();
  }
});
