const SIGNAL_PREFIX = 'device/';

/** Returns the key of the signal that a device has connected to some instance. */
export const buildDeviceSignal = (deviceId: string): string => SIGNAL_PREFIX + deviceId;

/** Returns the device that has connected, or null for any other signal. */
export const readDeviceSignal = (key: string): string | null =>
  key.startsWith(SIGNAL_PREFIX) ? key.slice(SIGNAL_PREFIX.length) : null;
