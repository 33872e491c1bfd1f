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
const AT_ONCE = 50;

let sockets: DeviceSocket[] = [];

process.on('message', (message: { connect?: { url: string; tokens: string[] }; leave?: true }) => {
  if (message.connect) {
    const { url, tokens } = message.connect;
    connect(url, tokens).then(
      () => process.send!({ connected: sockets.length }),
      (error: Error) => process.send!({ error: error.message }),
    );
  }
  if (message.leave) {
    for (const socket of sockets) socket.close();
    sockets = [];
    process.send!({ left: true });
  }
});

async function connect(url: string, tokens: string[]): Promise<void> {
  for (let from = 0; from < tokens.length; from += AT_ONCE) {
    const some = tokens
      .slice(from, from + AT_ONCE)
      .map((token) =>
        DeviceSocket.connect(url, token, ['machine.invoke'], () => ({ ok: true, result: RESULT })),
      );
    sockets.push(...(await Promise.all(some)));
  }
}
