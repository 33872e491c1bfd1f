import { setTimeout as sleep } from 'node:timers/promises';
import type { Capability, RelayAcknowledgement } from '@external-api/protocol';
import { DeviceSocket } from '../../test/support/device/device-socket';

/** Answer of the reference device to a small command. */
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
const CONNECT_BATCH_SIZE = 50;
const DISCONNECT_PAUSE_MS = 150;
const DISCARD_INTERVAL_MS = 5_000;

let sockets: DeviceSocket[] = [];

interface DevicesCommand {
  connect?: { url: string; tokens: string[]; capabilities: Capability[] };
  leave?: true;
}

process.on('message', (message: DevicesCommand) => {
  if (message.connect) {
    const { url, tokens, capabilities } = message.connect;
    connectAll(url, tokens, capabilities).then(
      () => process.send!({ connected: sockets.length }),
      (error: Error) => process.send!({ error: error.message }),
    );
  }
  if (message.leave) {
    void disconnectAll().then(() => process.send!({ left: true }));
  }
});

/** Discards the recorded requests, which only tests read: a long load has many. */
setInterval(() => {
  for (const socket of sockets) socket.requests.length = 0;
}, DISCARD_INTERVAL_MS).unref();

function answerRequest({ method }: { method: Capability }): RelayAcknowledgement {
  return { ok: true, result: { ...(method === 'machine.invoke' ? RESULT : REPLY) } };
}

/**
 * Disconnects no faster than the service records it, because a backlog would distort the measurement. The device that
 * has connected last leaves first.
 */
async function disconnectAll(): Promise<void> {
  const leaving = sockets.toReversed();
  sockets = [];
  for (let from = 0; from < leaving.length; from += CONNECT_BATCH_SIZE) {
    for (const socket of leaving.slice(from, from + CONNECT_BATCH_SIZE)) socket.close();
    await sleep(DISCONNECT_PAUSE_MS);
  }
}

async function connectAll(url: string, tokens: string[], capabilities: Capability[]): Promise<void> {
  for (let from = 0; from < tokens.length; from += CONNECT_BATCH_SIZE) {
    const some = tokens
      .slice(from, from + CONNECT_BATCH_SIZE)
      .map((token) => DeviceSocket.connect(url, token, capabilities, answerRequest));
    sockets.push(...(await Promise.all(some)));
  }
}
