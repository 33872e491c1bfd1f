import type { DeviceSocket } from './device-socket';
import { NO_ANSWER } from './device-socket';

/** One socket.io packet as it stands on the wire: its text, then its binary attachments. */
export type RawPacket = [text: string, ...attachments: Buffer[]];

interface Manager {
  decoder: { on(event: 'decoded', listener: (packet: { type: number; id?: number }) => void): void };
  engine: { write(data: string | Buffer): void };
}

/**
 * Answers every request with packets of the test's own making, past the client library's own checks.
 * @param packets given the acknowledgement's id on the wire
 */
export function answerRaw(device: DeviceSocket, packets: (ackId: number) => RawPacket[]): void {
  const { decoder, engine } = device.socket.io as unknown as Manager;
  device.answerWith(() => NO_ANSWER);
  decoder.on('decoded', ({ type, id }) => {
    if (type !== EVENT || id === undefined) return;
    for (const packet of packets(id)) for (const part of packet) engine.write(part);
  });
}

const EVENT = 2;

/** An acknowledgement with these arguments, spelt as JSON text. */
export function ack(id: number, args: string): RawPacket {
  return [`3${id}[${args}]`];
}

/** One with binary attachments; `{"_placeholder":true,"num":0}` in the text stands for the first. */
export function binaryAck(id: number, args: string, ...attachments: Buffer[]): RawPacket {
  return [`6${attachments.length}-${id}[${args}]`, ...attachments];
}
