import type { Socket } from 'socket.io';

/** An engine.io connection, which carries the packets of one socket.io client. */
export type EngineConnection = Socket['conn'];

/** The members of a connection's WebSocket that the relay uses. engine.io's types do not expose them. */
export interface EngineWebSocket {
  readonly bufferedAmount: number;
  close(code: number, reason: string): void;
  pause(): void;
  terminate(): void;
}

/** Returns the WebSocket under a connection. */
export function getWebSocket({ transport }: EngineConnection): EngineWebSocket | undefined {
  return (transport as unknown as { socket?: EngineWebSocket }).socket;
}

/** Returns the acknowledgements that a socket still waits for, by the id of their packet. */
export function getPendingAcknowledgements(socket: Socket): Map<number, () => void> {
  return (socket as unknown as { acks: Map<number, () => void> }).acks;
}
