import { useState } from 'preact/hooks';
import { Table, type TableColumn } from '@external-api/pages';
import { CopyableId, RelativeTime } from '../components/elements';
import type { InvocationRecord } from '../content/records';
import { shortenId, showInvisibleCharacters } from '../lib/visible-text';
import type { CommandHistory } from './command-history';
import { describeInvocation } from './machine-words';

interface InvocationListProps {
  invocations: readonly InvocationRecord[];
  history: CommandHistory;
  onSelect: (invocation: InvocationRecord) => void;
}

/** Stored commands, with the lines of those that were run in this browser. */
export function InvocationList({ invocations, history, onSelect }: InvocationListProps) {
  const [, setClearCount] = useState(0);
  if (invocations.length === 0) return null;
  const lines = history.readLinesById();
  const clear = () => {
    history.clear();
    setClearCount((count) => count + 1);
  };
  return (
    <section class="part">
      <h2>Recent commands</h2>
      <p class="hint">
        The service stores no command and no output. This browser keeps the lines that were run in it, and the machine
        has the output for 24 hours.{' '}
        {lines.size > 0 && (
          <button type="button" class="plain" onClick={clear}>
            Forget the lines
          </button>
        )}
      </p>
      <Table
        caption="Recent commands"
        columns={createColumns(lines, onSelect)}
        rows={invocations}
        getKey={({ id }) => id}
      />
    </section>
  );
}

const createColumns = (
  lines: ReadonlyMap<string, string>,
  onSelect: (invocation: InvocationRecord) => void,
): readonly TableColumn<InvocationRecord>[] => [
  {
    name: 'Command',
    cell: ({ id }) => {
      const line = lines.get(id);
      return (
        <>
          {line !== undefined && <code class="command">{showInvisibleCharacters(line)}</code>}
          <small>
            <CopyableId id={id} />
          </small>
        </>
      );
    },
  },
  { name: 'State', cell: (invocation) => describeInvocation(invocation) },
  { name: 'Started', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    name: 'Output',
    cell: (invocation) => (
      <button
        type="button"
        class="secondary small"
        aria-label={`Show output of ${lines.get(invocation.id) ?? shortenId(invocation.id)}`}
        onClick={() => onSelect(invocation)}
      >
        Show
      </button>
    ),
  },
];
