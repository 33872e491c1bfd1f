/** Turns `delta` events of tool calls and plans into lines, each of them once: the service repeats what goes on. */
export class ProgressLines {
  readonly #shown = new Map<unknown, string>();

  /** @param data of a `delta` event */
  listNewLines({ localId, kind, content }: Record<string, unknown>): string[] {
    const lines = kind === 'tool' || kind === 'plan' ? formatProgress(kind, content) : [];
    const text = lines.join('\n');
    if (text === '' || this.#shown.get(localId) === text) return [];
    this.#shown.set(localId, text);
    return lines;
  }
}

function formatProgress(kind: 'tool' | 'plan', content: unknown): string[] {
  const value = parseObject(content);
  if (kind === 'tool')
    return typeof value.title === 'string' ? [`          ${value.title}: ${String(value.status)}`] : [];
  const entries = Array.isArray(value.entries) ? (value.entries as unknown[]) : [];
  return entries.map((entry) => {
    const { content: text, status } = (entry ?? {}) as Record<string, unknown>;
    return `          [${status === 'completed' ? 'x' : status === 'in_progress' ? '>' : ' '}] ${String(text)}`;
  });
}

function parseObject(content: unknown): Record<string, unknown> {
  try {
    return (JSON.parse(String(content)) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
