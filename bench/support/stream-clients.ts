import { once } from 'node:events';
import { Agent, get, type ClientRequest, type IncomingMessage } from 'node:http';

/** Begins the data of each event. */
const DATA_FIELD = '\ndata: ';

/** Clients of event streams, which count what arrives. */
export class StreamClients {
  private readonly agent = new Agent({ maxSockets: Infinity });
  private readonly requests: ClientRequest[] = [];

  /** Opens a stream, and resolves when its first bytes have arrived. @param onEvent called once per event */
  async openStream(url: string, token: string, onEvent: () => void = () => undefined): Promise<void> {
    const request = get(url, { agent: this.agent, headers: { Authorization: `Bearer ${token}` } });
    this.requests.push(request.on('error', () => undefined));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`a stream responded with ${response.statusCode}`);
    response.setEncoding('utf8').on('error', () => undefined);
    await once(response, 'data');
    // A chunk may end within a field's name.
    let rest = '';
    response.on('data', (chunk: string) => {
      const text = rest + chunk;
      for (let start = text.indexOf(DATA_FIELD); start >= 0; start = text.indexOf(DATA_FIELD, start + 1)) onEvent();
      rest = text.slice(1 - DATA_FIELD.length);
    });
  }

  closeAll(): void {
    for (const request of this.requests.splice(0)) request.destroy();
  }

  stop(): Promise<void> {
    this.closeAll();
    return Promise.resolve();
  }
}
