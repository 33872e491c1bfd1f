/** A device's connection, as whoever holds its socket reports it. */
export interface DevicePresence {
  /** Of the process that holds it. */
  instance: string;
  /** Orders the connections of a device: the newest has the highest. */
  epoch: number;
  capabilities: readonly string[];
}

/** A connection that ended with the process that held it. */
export interface EndedPresence {
  accountId: string;
  deviceId: string;
  /** null where none was noted. */
  instance: string | null;
  epoch: number;
}
