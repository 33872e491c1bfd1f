import { PermissionContentCleanup } from '../../../src/modules/permission-requests/permission-content-cleanup';
import { AskingSession } from '../../support/content/asking-session';
import { queryDatabase } from '../../support/database';
import { DeviceSession } from '../../support/device/device-session';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const DAY = 86_400_000;
/** Fixed cost of a row beside its texts (docs/protocol/external-api.md#storage). */
const ROW = 1_024;

describe('the content of permission requests', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let session: AskingSession;
  /** Stored bytes of the account without the session. */
  let emptyBytes: number;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    // The count of stored bytes is cut off at zero, which would hide what is subtracted twice.
    await DeviceSession.createSession(ada);
    emptyBytes = await readStorage();
    session = await AskingSession.createSession(service, ada);
  });
  afterAll(() => service?.stop());

  const cleanUp = () => service.app.get(PermissionContentCleanup, { strict: false }).deleteExpiredContent();
  const readStorage = async () => {
    const [row] = await queryDatabase<{ storage_bytes: string }>(
      service,
      'SELECT storage_bytes FROM accounts WHERE id = $1',
      [ada.accountId],
    );
    return Number(row!.storage_bytes);
  };
  const hasContent = async (id: string) => {
    const [row] = await queryDatabase<{ stored: boolean }>(
      service,
      'SELECT content IS NOT NULL AS stored FROM permission_requests WHERE id = $1',
      [id],
    );
    return row!.stored;
  };

  it('counts as storage until it is deleted 30 days after the decision, and the rest with its session', async () => {
    const before = await readStorage();
    const { record, report } = await session.requestPermission('p1');
    const charged =
      ROW + report.content.length + JSON.stringify(report.options).length + 'p1'.length + 'execute'.length;
    expect(await readStorage()).toBe(before + charged);
    const allowed = { ...report, revision: 2, state: 'allowed', optionId: 'o1', decidedAt: session.now };
    expectStatus(await session.putReport('p1', allowed), 200);
    service.advanceClock(30 * DAY - 60_000);
    await cleanUp();
    expect(await hasContent(record.id)).toBe(true);
    service.advanceClock(60_001);
    await cleanUp();
    await cleanUp();
    expect(await hasContent(record.id)).toBe(false);
    expect(await readStorage()).toBe(before + charged - report.content.length);
    await ada.signIn();
    expect(expectStatus(await session.putReport('p1', allowed), 200).data.state).toBe('allowed');
    expect((await service.http.delete(`/v1/sessions/${session.id}`, ada.token)).status).toBe(204);
    const [sessions] = await queryDatabase<{ count: number }>(
      service,
      'SELECT count(*)::integer AS count FROM sessions WHERE account_id = $1',
      [ada.accountId],
    );
    expect([sessions!.count, await readStorage()]).toEqual([1, emptyBytes]);
  });

  it('of a request whose device never came back is deleted 30 days after its expiry', async () => {
    const { record } = await session.requestPermission('p1');
    service.advanceClock(30 * DAY + 599_000);
    await cleanUp();
    expect(await hasContent(record.id)).toBe(true);
    service.advanceClock(2_000);
    await cleanUp();
    expect(await hasContent(record.id)).toBe(false);
  });

  it('is deleted once by instances that clean up at the same time', async () => {
    const { report } = await session.requestPermission('p1', { state: 'cancelled' });
    const before = await readStorage();
    service.advanceClock(31 * DAY);
    await Promise.all([cleanUp(), cleanUp(), cleanUp()]);
    expect(await readStorage()).toBe(before - report.content.length);
  });

  it('is refused when the account’s storage is full, and nothing is stored', async () => {
    await queryDatabase(service, 'UPDATE accounts SET storage_bytes = $2 WHERE id = $1', [
      ada.accountId,
      1_073_741_000,
    ]);
    const httpResponse = await session.putReport('p1', await session.buildReport('p1'));
    expect([httpResponse.status, httpResponse.body.code]).toEqual([403, 'plan_limit_exceeded']);
    const path = `/v1/sessions/${session.id}/permission-requests`;
    expect(expectStatus(await service.http.get(path, ada.token), 200).data).toEqual([]);
  });
});
