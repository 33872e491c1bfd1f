import { ScriptedAgents } from '../testing/scripted-agents';
import { createMessageRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let served: ServedMachine;
beforeEach(async () => {
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ agents: { commands: [command], provider: new ScriptedAgents() } });
  // What the first connection asks for must not be counted for the second. This is its last request.
  await waitUntil(() => served.service.requestLines.includes('GET /v1/sessions/ses_1/turns?state=lost'));
});
afterEach(() => served.stop());

describe('an older service', () => {
  it('gets neither turns nor new fields', async () => {
    served.service.acceptedCapabilities = undefined;
    served.service.sockets[0]?.disconnect(true);
    await waitUntil(() => served.connectedSockets === 1 && served.countEvents('connected') === 2);
    const { requestLines, messages } = served.service;
    requestLines.splice(0);
    const request = createMessageRequest('hello');
    expect(await served.service.callDevice(request)).toEqual({
      ok: true,
      result: { accepted: true, messageId: `msg_${request.requestId}:user`, reply: 'Answer to hello' },
    });
    await waitUntil(() => messages.length === 2);
    expect(requestLines.filter((line) => !line.startsWith('POST /v1/sessions/ses_1/messages'))).toEqual([]);
    expect(messages.some((message) => 'turnLocalId' in message)).toBe(false);
  });

  it('is connected to with the original capabilities when it refuses the others', async () => {
    served.service.refusedCapabilities = ['session.cancel'];
    served.service.acceptedCapabilities = undefined;
    served.service.sockets[0]?.disconnect(true);
    await waitUntil(() => served.service.sockets.length === 2);
    expect(served.service.sockets[1]?.handshake.auth.capabilities).toEqual(['session.message', 'machine.invoke']);
    expect(await served.service.callDevice(createMessageRequest('hello'))).toMatchObject({ ok: true });
  });
});
