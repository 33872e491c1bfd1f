import { readFile } from 'node:fs/promises';
import type { Outage } from './device-api-client';
import type { MachineEvent } from './machine-events';
import { writePrivateFile } from './private-file';
import { isJsonObject } from './untrusted-values';

const SAVE_INTERVAL_MS = 2_000;

/** What a running machine says about itself, for `status`. */
export interface MachineStatus {
  pid: number;
  state: 'starting' | 'pairing' | 'connected' | 'waiting';
  /** Unix ms */
  since: number;
  /** Why it waits. */
  reason: string | null;
  machineId: string | null;
  /** Why calls get no answer of the service, also while the socket is connected. */
  outage: Outage | null;
  /** States of turns, permission requests and invocations that the service doesn't have yet. */
  waitingReports: number;
  /** Changes and files of turns that the service doesn't have yet. They are lost when the machine stops. */
  waitingArtifacts: number;
  /** Why the last message could not be stored. Shown while messages wait. */
  historyProblem: string | null;
}

/** Writes the status of this process to the file `….status` beside the key file, at most every two seconds. */
export class MachineStatusFile {
  private readonly status: MachineStatus = {
    pid: process.pid,
    state: 'starting',
    since: Date.now(),
    reason: null,
    machineId: null,
    outage: null,
    waitingReports: 0,
    waitingArtifacts: 0,
    historyProblem: null,
  };
  private savedText = '';
  private saving: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  /** Returns what no event tells. */
  readProgress: () => Partial<MachineStatus> = () => ({});

  constructor(private readonly path: string) {
    this.timer = setInterval(() => this.save(), SAVE_INTERVAL_MS).unref();
    this.save();
  }

  applyEvent(event: MachineEvent): void {
    if (event.event === 'serving') this.status.machineId = event.machineId;
    if (event.event === 'history') this.status.historyProblem = event.problem;
    if (event.event === 'pairing') this.changeState('pairing', 'It waits for the approval.');
    if (event.event === 'paired') this.changeState('starting', null);
    if (event.event === 'disconnected') this.changeState('waiting', event.reason);
    // While it waits for a person, only the outage tells that it also waits for the service.
    if (event.event === 'waiting' && this.status.state !== 'pairing') this.changeState('waiting', event.reason);
    if (event.event === 'connected') this.changeState('connected', null);
  }

  /** Saves the last state. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.save();
    await this.saving;
  }

  private changeState(state: MachineStatus['state'], reason: string | null): void {
    const isNew = this.status.state !== state;
    Object.assign(this.status, { state, reason, ...(isNew && { since: Date.now() }) });
    if (isNew) this.save();
  }

  /** A full disk must not stop the machine: the next time it tries again. */
  private save(): void {
    Object.assign(this.status, this.readProgress());
    const text = `${JSON.stringify(this.status)}\n`;
    if (text === this.savedText) return;
    this.savedText = text;
    this.saving = this.saving
      .then(() => writePrivateFile(this.path, text))
      .catch(() => {
        this.savedText = '';
      });
  }
}

/** Returns what the process has written, or undefined if there is nothing of this process. */
export async function readMachineStatus(path: string, pid: number): Promise<MachineStatus | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isJsonObject(value) && value.pid === pid ? (value as unknown as MachineStatus) : undefined;
  } catch {
    return undefined;
  }
}
