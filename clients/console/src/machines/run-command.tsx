import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { InvocationRecord, MachineRecord } from '../content/records';
import { explainCallError, RepeatableCall } from '../content/relayed-call';
import { isShellSign, splitCommandLine } from '../lib/command-line';
import { useEarlierLines, type CommandHistory } from './command-history';
import { CommandOutput, InvocationOutput } from './command-output';
import { findObstacle } from './machine-words';
import { OutputText } from './output-text';

const UNKNOWN =
  'Nobody knows whether the command was started. Look at the recent commands below before you run it again.';
const INVOKE_TIMEOUT_MS = 28_000;

/** Result of `machine.invoke` (docs/protocol/relay.md#request). */
interface InvokeResult {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  stdoutTruncated?: boolean;
  stderrTruncated?: boolean;
  timedOut: boolean;
}

interface RunCommandProps {
  api: AccountApi;
  machine: MachineRecord;
  history: CommandHistory;
  /** Invocation whose output is shown. */
  selected: InvocationRecord | null;
  onSelect: (invocation: InvocationRecord | null) => void;
  /** Called when there is another invocation, or the state of one has changed. */
  onChange: () => void;
}

/** Runs a command on the machine and shows what it writes. */
export function RunCommand({ api, machine, history, selected, onSelect, onChange }: RunCommandProps) {
  const call = useRef(new RepeatableCall());
  const [line, setLine] = useState('');
  const [cwd, setCwd] = useState('');
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState('');
  const [result, setResult] = useState<InvokeResult | null>(null);
  const earlierLines = useEarlierLines(history, line, setLine);
  const { words, problem: lineProblem } = splitCommandLine(line);
  const isLong = machine.capabilities.includes('invocation');
  const obstacle = findObstacle(machine, 'invocation', 'machine.invoke');

  // A selected invocation replaces the result of a short command.
  useEffect(() => {
    if (selected) setResult(null);
  }, [selected]);

  const run = async () => {
    setStarting(true);
    setProblem('');
    const [command, ...args] = words;
    const body = { command, args, cwd: cwd.trim() || undefined };
    const path = `/v1/control/machines/${machine.id}`;
    try {
      if (isLong) {
        const { data } = await call.current.post<{ data: InvocationRecord }>(api, `${path}/invocations`, body);
        history.addCommand({ line, invocationId: data.id });
        onSelect(data);
      } else {
        const timed = { ...body, timeoutMs: INVOKE_TIMEOUT_MS };
        setResult((await call.current.post<{ result: InvokeResult }>(api, `${path}/invoke`, timed)).result);
        history.addCommand({ line, invocationId: null });
        onSelect(null);
      }
      earlierLines.reset();
    } catch (error) {
      setProblem(explainCallError(error, UNKNOWN));
    }
    setStarting(false);
    onChange();
  };

  return (
    <section class="part card">
      <h2>Run a command</h2>
      <p class="notice problem">This runs as the operating-system user of the machine, without asking again.</p>
      <form
        aria-label="Run a command"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <div class="columns">
          <label>
            Command
            <input
              value={line}
              spellcheck={false}
              autocomplete="off"
              placeholder="git status"
              aria-keyshortcuts="ArrowUp ArrowDown"
              onKeyDown={earlierLines.onKeyDown}
              onInput={(event) => {
                setLine(event.currentTarget.value);
                earlierLines.reset();
              }}
            />
          </label>
          <label>
            Folder
            <input
              value={cwd}
              maxLength={4096}
              autocomplete="off"
              placeholder="The machine’s default"
              onInput={(event) => setCwd(event.currentTarget.value)}
            />
          </label>
        </div>
        <CommandWords words={words} problem={lineProblem} />
        <Problem text={problem} />
        <button disabled={isStarting || obstacle !== '' || lineProblem !== '' || words.length === 0}>
          {isStarting ? (isLong ? 'Starting …' : 'Running …') : 'Run command'}
        </button>
        {obstacle && <p class="hint">{obstacle}</p>}
        {!obstacle && !isLong && <p class="hint">This machine stops commands after 28 seconds.</p>}
      </form>
      {selected && (
        <InvocationOutput
          // A command that was lost, and has been reported since, is shown anew.
          key={`${selected.id} ${selected.version}`}
          api={api}
          machineId={machine.id}
          invocation={selected}
          onChange={onChange}
        />
      )}
      {result && <InvokeOutput result={result} />}
    </section>
  );
}

/** Shows what runs: each word by itself, since no shell reads the line. */
function CommandWords({ words, problem }: { words: readonly string[]; problem: string }) {
  return (
    <div class="command-words">
      {words.length > 0 && (
        <p aria-label="What runs" role="group">
          {words.map((word, index) => (
            <code key={index}>{word || ' '}</code>
          ))}
        </p>
      )}
      <p class={problem ? 'fault' : 'hint'} role="status">
        {problem ||
          (words.some(isShellSign)
            ? 'No shell reads this: |, >, &&, *, ~ and $NAME are passed on as they are.'
            : 'Spaces separate words; quotes hold a word together. No shell reads the line. ↑ shows earlier lines.')}
      </p>
    </div>
  );
}

function InvokeOutput({ result }: { result: InvokeResult }) {
  const { exitCode, signal, stdout, stderr, stdoutTruncated, stderrTruncated, timedOut } = result;
  const toOutput = (text: string) => {
    const output = new OutputText();
    output.addText(text);
    return output;
  };
  const ending = timedOut ? 'Stopped: its time was up' : signal ? `Ended by ${signal}` : `Exit code ${exitCode}`;
  return (
    <CommandOutput state={ending} stdout={toOutput(stdout)} stderr={toOutput(stderr)} hasEnded>
      {(stdoutTruncated || stderrTruncated) && (
        <p class="hint">The machine left out parts of the output, because it was too long.</p>
      )}
    </CommandOutput>
  );
}
