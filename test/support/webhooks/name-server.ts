import { createSocket, type Socket } from 'node:dgram';
import ipaddr from 'ipaddr.js';

const TYPES = { 1: 4, 28: 16 } as const;

/** A DNS server on loopback (RFC 1035) that answers A and AAAA from a list, which a test may change at any time. */
export class NameServer {
  readonly names = new Map<string, string[]>();
  asked = 0;

  private constructor(private readonly socket: Socket) {
    socket.on('message', (query, { port, address }) => {
      this.asked++;
      const answer = this.answer(query);
      if (answer) socket.send(answer, port, address);
    });
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new NameServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  stop(): void {
    this.socket.close();
  }

  /** Null for a name that it keeps silent about. */
  private answer(query: Buffer): Buffer | null {
    const { name, end, type } = readQuestion(query);
    const listed = this.names.get(name);
    if (listed?.includes('silent')) return null;
    const addresses = (listed ?? []).map((text) => Buffer.from(ipaddr.parse(text).toByteArray()));
    const records = addresses
      .filter(({ length }) => length === TYPES[type as 1 | 28])
      .map((data) => Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]));
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(listed ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    return Buffer.concat([header, query.subarray(12, end), ...records]);
  }
}

function readQuestion(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString());
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5, type: query.readUInt16BE(at + 1) };
}
