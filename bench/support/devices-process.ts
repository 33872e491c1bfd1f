import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CAPABILITIES, type Capability, type RelayAnswer } from '../../src/wire';
import { DeviceSocket } from '../../test/support/device/device-socket';

/** What a small command of the reference device answers. */
const RESULT = {
  exitCode: 0,
  signal: null,
  stdout: ' M README.md\n',
  stderr: '',
  stdoutTruncated: false,
  stderrTruncated: false,
  stdoutBytes: 13,
  stderrBytes: 0,
  timedOut: false,
  durationMs: 24,
};
const REPLY = { accepted: true, messageId: null, reply: null };
const AT_ONCE = 50;
const LEAVE_PAUSE_MS = 150;
const FORGET_MS = 5_000;

let sockets: DeviceSocket[] = [];

interface Order {
  connect?: { url: string; tokens: string[] };
  leave?: true;
  traffic?: true;
}

process.on('message', (message: Order) => {
  if (message.connect) {
    const { url, tokens } = message.connect;
    connect(url, tokens).then(
      () => process.send!({ connected: sockets.length }),
      (error: Error) => process.send!({ error: error.message }),
    );
  }
  if (message.leave) {
    void leave().then(() => process.send!({ left: true }));
  }
  if (message.traffic) process.send!({ traffic: sockets.reduce((sum, socket) => sum + bytesOf(socket), 0) });
});

/** What a test would look at is not kept: a long load has many requests. */
setInterval(() => {
  for (const socket of sockets) socket.requests.length = 0;
}, FORGET_MS).unref();

/** Both ways so far, without the headers of TCP and IP. */
function bytesOf({ socket }: DeviceSocket): number {
  const transport = socket.io.engine.transport as unknown as { ws: { _socket: Socket } };
  const { bytesRead, bytesWritten } = transport.ws._socket;
  return bytesRead + bytesWritten;
}

function answer({ method }: { method: Capability }): RelayAnswer {
  return { ok: true, result: { ...(method === 'machine.invoke' ? RESULT : REPLY) } };
}

/** No faster than the service writes it down: all at once would be another thing to measure. */
async function leave(): Promise<void> {
  const leaving = sockets;
  sockets = [];
  for (let from = 0; from < leaving.length; from += AT_ONCE) {
    for (const socket of leaving.slice(from, from + AT_ONCE)) socket.close();
    await sleep(LEAVE_PAUSE_MS);
  }
}

async function connect(url: string, tokens: string[]): Promise<void> {
  for (let from = 0; from < tokens.length; from += AT_ONCE) {
    const some = tokens
      .slice(from, from + AT_ONCE)
      .map((token) => DeviceSocket.connect(url, token, CAPABILITIES, answer));
    sockets.push(...(await Promise.all(some)));
  }
}
