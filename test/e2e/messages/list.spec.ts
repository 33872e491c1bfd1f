import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { Service } from '../../support/service';

describe('GET /sessions/{id}/messages', () => {
  let service: Service;
  let session: DeviceSession;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
    const ada = await ForeignAccountDevice.signUp(service.http);
    session = await DeviceSession.createSession(ada);
    const roles = ['user', 'assistant', 'tool'];
    const batch = Array.from({ length: 30 }, (_, i) => session.encryptMessage(`m${i + 1}`, roles[i % 3]));
    expectStatus(await session.postMessages(batch), 201);
    ({ token } = await ada.createToken(['sessions:read']));
  });
  afterAll(() => service?.stop());

  const list = (query = '') => service.http.get(`/external/v1/sessions/${session.id}/messages${query}`, token);
  const seqs = async (query = '') => expectStatus(await list(query), 200).data.map((message: any) => message.seq);

  it('is newest first and contains no content', async () => {
    const { data, nextCursor } = expectStatus(await list('?limit=2'), 200);
    expect(nextCursor).toEqual(expect.any(String));
    expect(data.map((message: any) => message.seq)).toEqual([30, 29]);
    expect(Object.keys(data[0]).sort()).toEqual(
      ['createdAt', 'id', 'keyId', 'localId', 'object', 'role', 'seq', 'sessionId', 'sizeBytes', 'turnId'].sort(),
    );
  });

  it('pages by seq in both orders', async () => {
    for (const order of ['asc', 'desc']) {
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const { data, nextCursor }: any = expectStatus(
          await list(cursor ? `?limit=7&cursor=${cursor}` : `?limit=7&order=${order}`),
          200,
        );
        seen.push(...data.map((message: any) => message.seq));
        cursor = nextCursor;
      } while (cursor);
      const all = Array.from({ length: 30 }, (_, i) => i + 1);
      expect(seen).toEqual(order === 'asc' ? all : all.reverse());
    }
  });

  it('filters by role and by seq, both bounds exclusive', async () => {
    expect(await seqs('?role=tool')).toEqual([30, 27, 24, 21, 18, 15, 12, 9, 6, 3]);
    expect(await seqs('?afterSeq=27')).toEqual([30, 29, 28]);
    expect(await seqs('?beforeSeq=3')).toEqual([2, 1]);
    expect(await seqs('?afterSeq=10&beforeSeq=16&role=user')).toEqual([13]);
  });

  it.each(['?role=robot', '?afterSeq=-1', '?afterSeq=x', '?beforeSeq=1.5', '?limit=0', '?unknown=1'])(
    'rejects %s',
    async (query) => {
      const httpResponse = await list(query);
      expect(httpResponse.status).toBe(400);
      expect(httpResponse.body.code).toBe('invalid_request');
    },
  );

  it('rejects the cursor of another session', async () => {
    const { nextCursor } = expectStatus(await list('?limit=1'), 200);
    const other = await service.http.get(`/external/v1/sessions?cursor=${encodeURIComponent(nextCursor)}`, token);
    expect(other.body.code).toBe('invalid_cursor');
  });

  it('is 404 for a session of another account', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const foreign = await eve.createToken(['sessions:read']);
    const httpResponse = await service.http.get(`/external/v1/sessions/${session.id}/messages`, foreign.token);
    expect(httpResponse.status).toBe(404);
  });
});
