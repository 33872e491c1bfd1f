import { CAPABILITIES, type Capability } from '@external-api/protocol';
import { BenchProcess } from './bench-process';

/** Devices in their own process, which answer every call at once. */
export class DevicePool {
  private readonly benchProcess = BenchProcess.start('bench/support/devices-process.ts');

  async connectDevices(url: string, tokens: string[], capabilities: readonly Capability[] = CAPABILITIES) {
    await this.benchProcess.sendRequest({ connect: { url, tokens, capabilities } }, 'connected');
  }

  async disconnectAll(): Promise<void> {
    await this.benchProcess.sendRequest({ leave: true }, 'left');
  }

  stop(): Promise<void> {
    return this.benchProcess.stop();
  }
}
