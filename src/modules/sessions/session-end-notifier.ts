import { Injectable } from '@nestjs/common';
import type { SessionRow } from './session.response.dto';

/** Session that ends or is deleted. */
export interface SessionEnd {
  session: SessionRow;
  isDeleted: boolean;
  /** Device that ends the session. */
  byDeviceId: string;
}

/** Called in the transaction that ends or deletes a session, with its lock, before its rows are deleted. */
export type SessionEndListener = (end: SessionEnd) => Promise<void>;

/** Lets modules that store work for a session end it together with the session. */
@Injectable()
export class SessionEndNotifier {
  private readonly listeners: SessionEndListener[] = [];

  onSessionEnd(listener: SessionEndListener): void {
    this.listeners.push(listener);
  }

  async notifySessionEnd(end: SessionEnd): Promise<void> {
    for (const listener of this.listeners) await listener(end);
  }
}
