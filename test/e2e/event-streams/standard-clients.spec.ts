import { EventStreamRegistry } from '../../../src/modules/event-streams/event-stream-registry';
import { itWith } from '../../support/dependencies';
import { DeviceSession } from '../../support/device/device-session';
import { GuideShell, readGuideCommands } from '../../support/guide-shell';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';
import { ALL_READ_SCOPES, Subscriber } from '../../support/webhooks/webhook-fixture';

/** Programs that know nothing of this project, and read streams as they are. */
describe('an event stream and standard clients', () => {
  let service: Service;
  let ada: Subscriber;
  let shell: GuideShell;
  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '10000' });
    ada = await Subscriber.signUp(service.http, ALL_READ_SCOPES);
  });
  beforeEach(() => {
    shell = new GuideShell();
  });
  afterEach(() => shell?.close());
  afterAll(() => service?.stop());

  const env = () => ({ TOKEN: ada.token, HOST: service.url });
  const registry = () => service.app.get(EventStreamRegistry, { strict: false });
  /** Waits until the client has opened its stream. Its predecessor of another test may still be counted. */
  const awaitStream = () => waitFor(() => expect(registry().size).toBe(1), 20_000);

  it('is read by the guide’s program, which resumes by itself', async () => {
    const [program] = readGuideCommands('event-streams', 'Read and resume', service.url, 'js');
    // The guide waits for the end of turns. Appending messages is enough here.
    const ofMessages = program!
      .replaceAll('turn.ended', 'message.created')
      .replace('data.id, data.state', 'data.seq ?? 0');
    let output = '';
    const onOutput = (text: string) => (output = text);
    const command = 'exec node --input-type=module -e "$PROGRAM" >&2';
    const ended = shell.runCommands(command, { ...env(), PROGRAM: ofMessages }, onOutput).catch(() => undefined);
    await awaitStream();
    const session = await DeviceSession.createSession(ada.device);
    const readSeqs = () =>
      output
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('message.created'))
        .map((line) => Number(line.split(' ')[1]));
    await session.appendMessages('a', 'b');
    await waitFor(() => expect(readSeqs()).toEqual([1, 2]), 20_000);
    for (const stream of registry().listStreams()) stream.disconnect();
    await session.appendMessages('c', 'd');
    await awaitStream();
    await session.appendMessages('e');
    await waitFor(() => expect(readSeqs()).toEqual([1, 2, 3, 4, 5]), 20_000);
    shell.close();
    await ended;
  });

  itWith('curl')('is read by curl, and resumes after its last id', async () => {
    const session = await DeviceSession.createSession(ada.device);
    await waitFor(() => expect(registry().size).toBe(0), 20_000);
    const url = `$HOST/external/v1/sessions/${session.id}/events`;
    /** Ends curl after as many events, as a person would with Ctrl-C. */
    const read = (header: string, count: number) =>
      shell.runCommands(
        `left=${count + 1}
         { curl -sN -H "Authorization: Bearer $TOKEN" ${header} "${url}" & echo $! > curl.pid; wait; } |
           while [ "$left" -gt 0 ] && IFS= read -r line; do
             printf '%s\\n' "$line"
             case "$line" in data:*) left=$((left - 1)); [ "$left" -gt 0 ] || kill "$(cat curl.pid)" ;; esac
           done`,
        env(),
      );
    const first = read('', 2);
    await awaitStream();
    await session.appendMessages('a', 'b');
    await session.appendMessages('c');
    const output = await first;
    const ids = [...output.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id!);
    expect(output.match(/^event: .*$/gm)).toEqual([
      'event: stream.opened',
      'event: message.created',
      'event: message.created',
    ]);
    const resumed = await read(`-H "Last-Event-ID: ${ids[1]!}"`, 2);
    const seqs = [...resumed.matchAll(/"seq":(\d+)/g)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual([2, 3]);
  });
});
