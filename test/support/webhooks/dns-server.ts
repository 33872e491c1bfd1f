import { createSocket, type Socket } from 'node:dgram';
import ipaddr from 'ipaddr.js';

const ADDRESS_LENGTHS = { 1: 4, 28: 16 } as const;

/** DNS server on loopback (RFC 1035). Answers A and AAAA queries from a map that tests may change at any time. */
export class DnsServer {
  readonly addressesByName = new Map<string, string[]>();
  queryCount = 0;

  private constructor(private readonly socket: Socket) {
    socket.on('message', (query, { port, address }) => {
      this.queryCount++;
      const answer = this.buildResponse(query);
      if (answer) socket.send(answer, port, address);
    });
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new DnsServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  stop(): void {
    this.socket.close();
  }

  /** Returns null for names that get no response. */
  private buildResponse(query: Buffer): Buffer | null {
    const { name, end, type } = readQuestion(query);
    const listedAddresses = this.addressesByName.get(name);
    if (listedAddresses?.includes('silent')) return null;
    const addresses = (listedAddresses ?? []).map((text) => Buffer.from(ipaddr.parse(text).toByteArray()));
    const records = addresses
      .filter(({ length }) => length === ADDRESS_LENGTHS[type as 1 | 28])
      .map((data) => Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]));
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(listedAddresses ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    return Buffer.concat([header, query.subarray(12, end), ...records]);
  }
}

function readQuestion(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query[offset]!; length > 0; length = query[offset]!) {
    labels.push(query.subarray(offset + 1, offset + 1 + length).toString());
    offset += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: offset + 5, type: query.readUInt16BE(offset + 1) };
}
