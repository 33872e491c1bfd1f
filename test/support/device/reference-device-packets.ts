import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Socket } from 'socket.io-client';
import { recordSocketViolation } from './socket-document';

/** Packet of socket.io, as its client gives it to the encoder and gets it from the decoder. */
interface Packet {
  type: number;
  /** Of an event that expects an acknowledgement, and of its acknowledgement. */
  id?: number;
  data?: unknown;
}

interface PacketReport {
  /** Number of the socket in its process. */
  socket: number;
  method: 'packet' | 'onpacket';
  packet: Packet;
}

type PacketMethods = Record<'packet' | 'onpacket', (this: Socket, packet: Packet) => void>;

const [CONNECT, EVENT, ACKNOWLEDGEMENT, CONNECT_ERROR] = [0, 2, 3, 4];

/** Methods of the pending requests by the id of their packet, of each socket. */
const pendingMethods = new WeakMap<object, Map<number, string>>();

/**
 * Validates all packets of the reference device's sockets in this process against asyncapi.json, in both directions,
 * until the tests of the file have ended. A violation fails the present test when it ends.
 */
export function validateReferenceDevicePackets(): void {
  // Node has loaded the client of the reference device (built/environment.js). Test devices have another instance.
  const { requireBuilt } = globalThis as { requireBuilt?: (path: string) => typeof import('socket.io-client') };
  if (!requireBuilt) return;
  const methods = requireBuilt(require.resolve('socket.io-client')).Socket.prototype as unknown as PacketMethods;
  const { packet, onpacket } = methods;
  observeMethod(methods, 'packet', validateSentPacket);
  observeMethod(methods, 'onpacket', validateReceivedPacket);
  afterAll(() => void Object.assign(methods, { packet, onpacket }));
}

/** Validates the packets that a process of the reference device reports (write-packets.cjs). */
export function validateReportedPackets(reports: Readable): void {
  const sockets = new Map<number, object>();
  createInterface({ input: reports }).on('line', (line) => {
    const { socket, method, packet } = JSON.parse(line) as PacketReport;
    if (!sockets.has(socket)) sockets.set(socket, {});
    const validate = method === 'packet' ? validateSentPacket : validateReceivedPacket;
    validate(sockets.get(socket)!, packet);
  });
}

function observeMethod(
  methods: PacketMethods,
  name: keyof PacketMethods,
  validate: (socket: object, packet: Packet) => void,
): void {
  const original = methods[name];
  methods[name] = function (this: Socket, packet: Packet) {
    validate(this, packet);
    return original.call(this, packet);
  };
}

function validateSentPacket(socket: object, { type, id, data: unencoded }: Packet): void {
  const data: unknown = unencoded && JSON.parse(JSON.stringify(unencoded));
  if (type === CONNECT) recordSocketViolation('HandshakeAuth', data);
  if (type === EVENT) validateEvent(data);
  if (type !== ACKNOWLEDGEMENT) return;
  const [acknowledgement, ...others] = data as [{ ok?: unknown; result?: unknown }, ...unknown[]];
  if (others.length > 0) recordSocketViolation('relayAcknowledgement', data);
  recordSocketViolation('relayAcknowledgement', acknowledgement);
  const method = pendingMethods.get(socket)?.get(id!);
  if (acknowledgement.ok === true) recordSocketViolation(`${toSchemaName(method)}Result`, acknowledgement.result);
}

function validateReceivedPacket(socket: object, { type, id, data }: Packet): void {
  if (type === CONNECT_ERROR) recordSocketViolation('HandshakeError', (data as { data?: unknown }).data);
  if (type !== EVENT) return;
  validateEvent(data);
  const [name, payload] = data as [string, { method?: string }];
  // Only a request has an acknowledgement.
  if ((name === 'relay:request') !== (id !== undefined)) recordSocketViolation(`${name} with the id ${id}`, payload);
  if (id === undefined) return;
  const methods = pendingMethods.get(socket) ?? new Map<number, string>();
  pendingMethods.set(socket, methods.set(id, String(payload.method)));
}

function validateEvent(data: unknown): void {
  const [name, payload, ...others] = data as [string, ...unknown[]];
  recordSocketViolation(name, others.length > 0 ? [payload, ...others] : payload);
}

/** Returns the beginning of the names of a method's schemas: `SessionMessage` for `session.message`. */
function toSchemaName(method = 'unknown'): string {
  return method
    .split('.')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('');
}
