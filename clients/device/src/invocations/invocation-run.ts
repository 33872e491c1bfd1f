import type { ChildProcess } from 'node:child_process';
import { detachChild, waitForOutcome, type CommandOutcome } from '../exec/child-process';
import { ProcessGroup } from '../exec/process-group';
import { spawnCommand } from '../exec/spawn-command';
import { CommandOutput, type OutputTarget } from './command-output';

/** Time between SIGTERM and SIGKILL, in which a build can remove its temporary files. */
const TERMINATION_GRACE_MS = 5_000;
/** How long the rest of the group may write after the exit of its leader, for example `tee`. */
const GROUP_GRACE_MS = 250;
/** How long output is read at most after the end, from processes that have left the group. */
const MAX_DRAIN_MS = 5_000;

export interface InvocationCommand {
  command: string;
  /** Passed as argv, without a shell. */
  args: string[];
  /** Absolute path of a folder that exists. */
  cwd: string;
  timeoutMs: number;
}

export interface InvocationEnd {
  outcome: CommandOutcome;
  exitCode: number | null;
  signal: string | null;
  stdoutBytes: number;
  stderrBytes: number;
}

/**
 * A running command, the leader of its own process group. The exit of the leader ends it, and so do its time limit and
 * {@link cancel}. What is left of the group gets SIGTERM, then SIGKILL. Processes that have left the group don't keep
 * it open.
 */
export class InvocationRun {
  readonly ended: Promise<InvocationEnd>;
  private readonly cancelController = new AbortController();
  private readonly group: ProcessGroup;
  private readonly output: CommandOutput;
  private graceMs = TERMINATION_GRACE_MS;

  private constructor(
    private readonly child: ChildProcess,
    target: OutputTarget,
    timeoutMs: number,
  ) {
    this.group = new ProcessGroup(this.pid);
    this.output = new CommandOutput(child, target);
    this.ended = this.superviseCommand(timeoutMs);
  }

  /** @throws CommandError when the command can't be started */
  static async startCommand(
    { timeoutMs, ...command }: InvocationCommand,
    target: OutputTarget,
  ): Promise<InvocationRun> {
    return new InvocationRun(await spawnCommand({ ...command, hasInput: false }), target, timeoutMs);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Whether the command is to be ended. */
  get isCancelled(): boolean {
    return this.cancelController.signal.aborted;
  }

  /** Ends the command. {@link ended} resolves when it has ended. */
  cancel(graceMs = TERMINATION_GRACE_MS): void {
    this.graceMs = graceMs;
    this.cancelController.abort();
  }

  private async superviseCommand(timeoutMs: number): Promise<InvocationEnd> {
    const { child, group, output } = this;
    const outcome = await waitForOutcome(child, timeoutMs, this.cancelController.signal);
    if (outcome === 'exited') await output.waitForSilence(GROUP_GRACE_MS);
    if (group.isAlive()) await group.terminateGroup(this.graceMs);
    await waitForOutcome(child, MAX_DRAIN_MS, undefined);
    await output.waitForSilence(MAX_DRAIN_MS);
    detachChild(child);
    group.unregisterGroup();
    await output.waitForEnd();
    return { outcome, exitCode: child.exitCode, signal: child.signalCode, ...output.byteCounts };
  }
}
