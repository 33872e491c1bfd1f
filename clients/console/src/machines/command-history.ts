import { useRef, useState } from 'preact/hooks';
import { addLocalEntry, readLocalList, writeLocalList } from '../lib/local-lists';

const MAX_COMMANDS = 100;

/** A line that was run in this browser. The service stores no commands. */
interface EarlierCommand {
  line: string;
  /** null for a short command, which has no record. */
  invocationId: string | null;
}

/** Lines that this browser has run on a machine. */
export class CommandHistory {
  private readonly name: string;

  constructor(
    private readonly accountId: string,
    machineId: string,
  ) {
    this.name = `commands:${machineId}`;
  }

  addCommand(command: EarlierCommand): void {
    addLocalEntry(
      this.accountId,
      this.name,
      command,
      MAX_COMMANDS,
      (a, b) => a.invocationId === null && a.line === b.line,
    );
  }

  /** Returns each line once, newest first. */
  listLines(): string[] {
    return [...new Set(this.listCommands().map(({ line }) => line))];
  }

  /** Returns lines by the IDs of their invocations. */
  readLinesById(): ReadonlyMap<string, string> {
    const commands = this.listCommands().filter(({ invocationId }) => invocationId !== null);
    return new Map(commands.map(({ invocationId, line }) => [invocationId!, line]));
  }

  clear(): void {
    writeLocalList(this.accountId, this.name, []);
  }

  private listCommands(): EarlierCommand[] {
    return readLocalList<EarlierCommand>(this.accountId, this.name);
  }
}

interface EarlierLines {
  onKeyDown: (event: KeyboardEvent) => void;
  /** Called when the user edits the line: the next arrow key begins with the newest one again. */
  reset: () => void;
}

/** Goes through earlier lines with the arrow keys, as shells do, and back to what was typed. */
export function useEarlierLines(history: CommandHistory, line: string, setLine: (line: string) => void): EarlierLines {
  const [position, setPosition] = useState(-1);
  const draft = useRef('');
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    // An input method has keys of its own.
    if (step === undefined || event.isComposing) return;
    const lines = history.listLines();
    const next = position + step;
    if (next < -1 || next >= lines.length) return;
    event.preventDefault();
    if (position === -1) draft.current = line;
    setPosition(next);
    setLine(next === -1 ? draft.current : lines[next]!);
  };
  return { onKeyDown, reset: () => setPosition(-1) };
}
