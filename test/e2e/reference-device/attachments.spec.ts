import { readFileSync } from 'node:fs';
import {
  buildAttachmentBinding,
  buildMessageBinding,
  encodeAttachment,
  sealContent,
  SEALED_ATTACHMENT_MEDIA_TYPE,
} from '@external-api/protocol';
import { HOUR } from '../../../src/common/clock';
import { putArtifact } from '../../../clients/device/src/content/put-artifact';
import { AGENT_SCOPES, AgentFixture } from '../../support/agent-fixture';
import { expectStatus } from '../../support/device/foreign-device';
import { QueuedSession } from '../../support/queued-session';
import { waitFor } from '../../support/wait-for';

const PICTURE = Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1');
/** A picture that is called a text, with a name that leads elsewhere. */
const LIAR = { name: '../../.ssh/authorized_keys', mediaType: 'text/plain', data: PICTURE.toString('base64') };

describe('pictures and files of the reference device', () => {
  let fixture: AgentFixture;
  let token: string;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await AgentFixture.start('ada-with-pictures', undefined, {}, 'images,embedded-context');
    const scopes = [...AGENT_SCOPES, 'artifacts:read', 'artifacts:content'];
    ({ token } = await fixture.ada.createToken({ name: 'artist', scopes }));
    const path = `/machines/${fixture.machine.machineService.identity.machineId}/sessions`;
    ({ sessionId } = expectStatus(await post(path, { grant: true }), 200).result);
  });
  afterEach(() => expect(fixture.problems).toEqual([]));
  afterAll(() => fixture?.stop());

  const post = (path: string, body: object) => fixture.service.http.post(`/external/v1${path}`, token, body);
  const get = async (path: string) =>
    expectStatus(await fixture.service.http.get(`/external/v1${path}`, token), 200).data;
  const send = (body: object) => post(`/sessions/${sessionId}/messages`, body);
  /** Sends a message and returns its turn and what the agent said. */
  async function ask(body: object): Promise<{ turnId: string; reply: string }> {
    const { result } = expectStatus(await send(body), 200);
    expect(result.turn.state).toBe('completed');
    return { turnId: result.turn.id, reply: result.reply };
  }
  const readText = async (turnId: string, role: string) => {
    const [message] = await get(`/sessions/${sessionId}/messages?turnId=${turnId}&role=${role}`);
    const content = await get(`/sessions/${sessionId}/messages/${message.id}/content`);
    return content.content as string;
  };
  const findArtifacts = async (turnId: string): Promise<{ id: string; tag: string; mediaType: string }[]> =>
    (await get(`/artifacts?sessionId=${sessionId}`)).filter(({ tag }: { tag: string }) => tag.includes(turnId));

  it('reach the agent, and are artifacts of the session with their real types', async () => {
    const { turnId, reply } = await ask({ content: 'blocks', attachments: [LIAR] });
    expect(JSON.parse(reply)).toEqual([{ type: 'image', mimeType: 'image/png', data: LIAR.data }]);
    const tag = `${sessionId}/${turnId}/message-1.png`;
    expect(await findArtifacts(turnId)).toMatchObject([{ tag, mediaType: 'image/png', contentGranted: true }]);
    expect(await readText(turnId, 'user')).toBe(`blocks\n\n[authorized_keys](artifact:${tag})`);
  });

  it('come from the agent, and can be attached to the next message', async () => {
    const drawn = await ask({ content: 'picture plots/chart.png' });
    const [artifact] = await findArtifacts(drawn.turnId);
    expect(artifact).toMatchObject({ tag: `${sessionId}/${drawn.turnId}/1.png`, mediaType: 'image/png' });
    expect(drawn.reply).toBe(`[chart.png](artifact:${artifact!.tag})`);
    const { content } = await get(`/artifacts/${artifact!.id}/content`);
    const shown = await ask({ content: 'blocks', attachments: [{ artifactId: artifact!.id }] });
    expect(JSON.parse(shown.reply)).toEqual([{ type: 'image', mimeType: 'image/png', data: content }]);
    expect(await findArtifacts(shown.turnId)).toEqual([]);
  });

  it('may be larger than a call, as artifacts that a person has stored in the session', async () => {
    const { content } = fixture.ada;
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(2_000_000)]);
    const session = await content.getSession(sessionId);
    const artifact = await putArtifact(content, 'plans/manual', { mediaType: 'application/pdf', bytes }, session);
    const { reply } = await ask({ content: 'say Read:', attachments: [{ artifactId: artifact.id }] });
    const [, path] = /^Read:You said: Attached file: (.*\/1-manual)$/.exec(reply)!;
    expect(readFileSync(path!).equals(bytes)).toBe(true);
  });

  it('are read by the device only, if a caller with the data key has sealed them', async () => {
    const { content } = fixture.ada;
    const session = await content.getSession(sessionId);
    const dataKey = await content.getDataKey(session);
    const place = [content.accountId, session.tag, 'sealed-1'] as const;
    const message = { mediaType: 'text/plain', bytes: Buffer.from('blocks') };
    const bytes = encodeAttachment({ name: 'a.txt', bytes: Buffer.from('text') });
    const sealed = {
      localId: 'sealed-1',
      sealedContent: await sealContent(message, dataKey, buildMessageBinding(...place, 'user')),
      attachments: [
        {
          sealedContent: await sealContent(
            { mediaType: SEALED_ATTACHMENT_MEDIA_TYPE, bytes },
            dataKey,
            buildAttachmentBinding(...place, 1),
          ),
        },
      ],
    };
    const { reply } = await ask(sealed);
    expect(JSON.parse(reply)).toMatchObject([{ type: 'resource', resource: { text: 'text' } }]);
  });

  it('wait in the queue for a machine that is away for a day', async () => {
    await fixture.machine.stop();
    const queued = new QueuedSession(fixture.service.http, token, sessionId);
    const body = { content: 'say Done.', attachments: [LIAR], delivery: { mode: 'queue' } };
    const { queuedMessageId } = expectStatus(await send(body), 202).result;
    fixture.service.advanceClock(24 * HOUR);
    await fixture.machine.startServing();
    const { turnId } = await queued.waitForState(queuedMessageId, 'delivered');
    await fixture.waitForTurn(sessionId, turnId, 'completed');
    expect(await waitFor(() => findArtifacts(turnId))).toMatchObject([{ mediaType: 'image/png' }]);
  }, 60_000);
});
