export type Tone = 'good' | 'bad' | 'waiting' | 'quiet';

/** Shows a state in one word. The colour carries no extra information. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
