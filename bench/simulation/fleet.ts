export const NOWHERE = -1;

/** What a device is doing about its next connection. */
export const RESTING = 0;
export const WAITING = 1;
export const CONNECTING = 2;

/** Devices in columns: a million of them are 25 MB. */
export class Fleet {
  /** The instance that holds its connection. */
  readonly home: Int16Array;
  /** The instance that its attempt goes to. */
  readonly target: Int16Array;
  readonly phase: Uint8Array;
  /** Waits since the last connection that lasted. */
  readonly attempts: Uint8Array;
  /** Which attempt it is, so that what belongs to an earlier one is told apart. */
  readonly serial: Uint16Array;
  /** The last attempt whose presence Redis has, or that went on without. */
  readonly asserted: Uint16Array;
  /** ms; when its attempt began. */
  readonly attemptedAt: Int32Array;
  /** ms */
  readonly connectedAt: Int32Array;
  /** ms */
  readonly offlineSince: Int32Array;
  /** Whether PostgreSQL has it as offline. */
  readonly readsOffline: Uint8Array;
  /** Connections since the simulation began. */
  readonly connects: Uint8Array;
  online: number;

  constructor(readonly size: number) {
    this.home = new Int16Array(size).fill(NOWHERE);
    this.target = new Int16Array(size).fill(NOWHERE);
    this.phase = new Uint8Array(size);
    this.attempts = new Uint8Array(size);
    this.serial = new Uint16Array(size);
    this.asserted = new Uint16Array(size);
    this.attemptedAt = new Int32Array(size);
    this.connectedAt = new Int32Array(size).fill(-1_000_000);
    this.offlineSince = new Int32Array(size);
    this.readsOffline = new Uint8Array(size);
    this.connects = new Uint8Array(size);
    this.online = 0;
  }

  /** Whether this attempt is still what the device waits for. */
  wants(device: number, serial: number): boolean {
    return this.phase[device] === CONNECTING && this.serial[device] === serial;
  }
}
