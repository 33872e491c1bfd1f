import { NO_RESPONSE, type DeviceSocket } from './device-socket';

/** Encoded socket.io packet: its text, then its binary attachments. */
export type RawPacket = [text: string, ...attachments: Buffer[]];

interface ManagerInternals {
  decoder: { on(event: 'decoded', listener: (packet: { type: number; id?: number }) => void): void };
  engine: { write(data: string | Buffer): void };
}

/**
 * Answers every request with packets of the test, without the checks of the client library.
 * @param packets builds the packets from the acknowledgement's id
 */
export function sendRawPackets(device: DeviceSocket, packets: (ackId: number) => RawPacket[]): void {
  const { decoder, engine } = device.socket.io as unknown as ManagerInternals;
  device.setHandler(() => NO_RESPONSE);
  decoder.on('decoded', ({ type, id }) => {
    if (type !== EVENT_PACKET_TYPE || id === undefined) return;
    for (const packet of packets(id)) for (const part of packet) engine.write(part);
  });
}

const EVENT_PACKET_TYPE = 2;

/** Builds an acknowledgement with these arguments, given as JSON text. */
export function createAcknowledgement(id: number, args: string): RawPacket {
  return [`3${id}[${args}]`];
}

/** Builds one with binary attachments. `{"_placeholder":true,"num":0}` in the text refers to the first. */
export function createBinaryAcknowledgement(id: number, args: string, ...attachments: Buffer[]): RawPacket {
  return [`6${attachments.length}-${id}[${args}]`, ...attachments];
}
