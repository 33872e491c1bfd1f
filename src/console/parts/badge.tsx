export type Tone = 'good' | 'bad' | 'waiting' | 'quiet';

/** A state in one word; the colour only repeats it. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
