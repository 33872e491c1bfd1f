import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { InvocationRecord } from '../content/records';
import { explainCallError } from '../content/relayed-call';
import { shortenId } from '../lib/visible-text';
import { TerminalOutput } from '../rich-text/terminal-output';
import { InvocationFollower, isEnded } from './invocation-follower';
import { describeInvocation } from './machine-words';
import type { OutputText } from './output-text';

interface InvocationOutputProps {
  api: AccountApi;
  machineId: string;
  invocation: InvocationRecord;
  /** Called when the command has ended. */
  onChange: () => void;
}

/** Output of an invocation, live while it runs, with a button that cancels it. */
export function InvocationOutput({ api, machineId, invocation, onChange }: InvocationOutputProps) {
  const [, setChangeCount] = useState(0);
  const [cancelProblem, setCancelProblem] = useState('');
  const [isCancelling, setCancelling] = useState(false);
  const path = `/v1/control/machines/${machineId}/invocations/${invocation.id}`;
  const follower = useMemo(
    () => new InvocationFollower(api, path, invocation, () => setChangeCount((count) => count + 1)),
    [],
  );
  useEffect(() => {
    follower.follow();
    return () => follower.stop();
  }, []);
  const hasEnded = isEnded(follower.record);
  useEffect(() => {
    if (hasEnded) onChange();
  }, [hasEnded]);

  const cancel = async () => {
    setCancelling(true);
    setCancelProblem('');
    try {
      await api.post(`${path}/cancel`, {});
    } catch (error) {
      setCancelProblem(explainCallError(error, 'Nobody knows whether the command was cancelled. Try again.'));
    }
    setCancelling(false);
  };

  return (
    <CommandOutput
      state={`${describeInvocation(follower.record)} · ${shortenId(invocation.id)}`}
      stdout={follower.stdout}
      stderr={follower.stderr}
      hasEnded={hasEnded}
    >
      <Problem text={follower.problem || cancelProblem} />
      {!hasEnded && (
        <button type="button" class="secondary" disabled={isCancelling} onClick={() => void cancel()}>
          {isCancelling ? 'Cancelling …' : 'Cancel command'}
        </button>
      )}
    </CommandOutput>
  );
}

interface CommandOutputProps {
  state: string;
  stdout: OutputText;
  stderr: OutputText;
  hasEnded: boolean;
  children?: ComponentChildren;
}

/** How a command ended, and what it wrote, in two parts. */
export function CommandOutput({ state, stdout, stderr, hasEnded, children }: CommandOutputProps) {
  return (
    <div class="command-output">
      <p role="status">
        <strong>{state}</strong>
      </p>
      <OutputPart name="Standard output" text={stdout.writtenText} hasEnded={hasEnded} />
      <OutputPart name="Standard error" text={stderr.writtenText} hasEnded={hasEnded} />
      {children}
    </div>
  );
}

function OutputPart({ name, text, hasEnded }: { name: string; text: string; hasEnded: boolean }) {
  if (text === '') return <p class="none">{`${name}: ${hasEnded ? 'nothing' : 'nothing yet'}.`}</p>;
  return (
    <>
      <h3>{name}</h3>
      <TerminalOutput text={text} label={name} />
    </>
  );
}
