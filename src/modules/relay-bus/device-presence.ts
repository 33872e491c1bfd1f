/** Connection of a device, as reported by the instance that owns its socket. */
export interface DevicePresence {
  /** Id of the instance that owns the socket. */
  instance: string;
  /** Orders the connections of a device. The newest has the highest epoch. */
  epoch: number;
  capabilities: readonly string[];
}

/** Presence left behind by an instance that died. */
export interface StaleDevicePresence {
  accountId: string;
  deviceId: string;
  /** null if none was recorded. */
  instance: string | null;
  epoch: number;
}
