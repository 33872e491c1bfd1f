import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Creator } from '../subscriptions/creator';
import { SecretVault } from '../subscriptions/secret-vault';
import type { Lease } from './lanes.repository';
import { QueueRepository, type EndpointRow } from './queue.repository';
import { Viewers } from './viewers';

/** Where deliveries of a lane go, as it stands now. */
export interface Endpoint {
  url: string;
  isActive: boolean;
  /** Null when nothing may be told any more. */
  viewer: Creator | null;
  /** They sign; none when no configured secret opens them. */
  keys: KeyObject[];
}

@Injectable()
export class Endpoints {
  constructor(
    private readonly queue: QueueRepository,
    private readonly viewers: Viewers,
    private readonly vault: SecretVault,
    private readonly clock: Clock,
  ) {}

  /** Null when the lease is lost, or the subscription gone. */
  async find(lease: Lease): Promise<Endpoint | null> {
    const row = await this.queue.heldEndpoint(lease);
    if (!row) return null;
    const viewer = await this.viewers.viewerOf(row);
    return { url: row.url, isActive: row.state === 'active', viewer, keys: this.keysOf(row) };
  }

  private keysOf(row: EndpointRow): KeyObject[] {
    const overlaps = row.old_secret_ends_at && row.old_secret_ends_at.getTime() > this.clock.now();
    const sealed = overlaps ? [row.secret, row.old_secret!] : [row.secret];
    const opened = sealed.map((each) => this.vault.open(each, row.id)).filter((key) => key !== null);
    return opened.map((key) => createSecretKey(key));
  }
}
