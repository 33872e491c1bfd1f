import { Child } from './child';

/** Devices in a process of their own, answering every call at once. */
export class Devices {
  private readonly child = Child.start('bench/support/devices-process.ts');

  async connect(url: string, tokens: string[]): Promise<void> {
    await this.child.ask({ connect: { url, tokens } }, 'connected');
  }

  async leave(): Promise<void> {
    await this.child.ask({ leave: true }, 'left');
  }

  /** Bytes that came and went over their sockets so far, WebSocket framing included, TCP and IP headers not. */
  traffic(): Promise<number> {
    return this.child.ask({ traffic: true }, 'traffic');
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}
