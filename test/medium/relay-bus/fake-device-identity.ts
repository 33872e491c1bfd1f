let deviceCount = 0;
let lastEpoch = 0;

/** Identity of a device, as a handshake would determine it. */
export class FakeDeviceIdentity {
  readonly deviceId = `dev_${++deviceCount}`;

  constructor(
    readonly accountId: string,
    readonly deviceKind: 'account' | 'machine' = 'machine',
  ) {}

  static nextEpoch(): number {
    return ++lastEpoch;
  }
}
