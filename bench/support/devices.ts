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

  stop(): Promise<void> {
    return this.child.stop();
  }
}
