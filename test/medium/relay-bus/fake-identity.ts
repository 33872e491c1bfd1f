let devices = 0;
let epochs = 0;

/** Who a device is, as a handshake would have found out. */
export class FakeIdentity {
  readonly deviceId = `dev_${++devices}`;

  constructor(
    readonly accountId: string,
    readonly deviceKind: 'account' | 'machine' = 'machine',
  ) {}

  static nextEpoch(): number {
    return ++epochs;
  }
}
