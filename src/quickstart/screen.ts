const LABEL_WIDTH = 20;
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 } as const;

export type Style = keyof typeof STYLES;

/** Steps and results on standard output: live and coloured on a terminal, plain lines everywhere else. */
export class Screen {
  private readonly live: boolean;
  private readonly colours: boolean;

  constructor(
    private readonly out: NodeJS.WriteStream = process.stdout,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.live = out.isTTY && env.TERM !== 'dumb';
    this.colours = this.live && !env.NO_COLOR;
  }

  line(text = ''): void {
    this.out.write(`${text}\n`);
  }

  paint(style: Style, text: string): string {
    return this.colours ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text;
  }

  heading(text: string): void {
    this.line(`\n${this.paint('bold', text)}\n`);
  }

  /** Runs `work` as one step and writes its line: mark, label, time taken, and what `tell` says of the result. */
  async step<T>(label: string, work: () => Promise<T>, tell: (result: T) => string = () => ''): Promise<T> {
    const startedAt = performance.now();
    if (this.live) this.out.write(this.paint('dim', `  ○ ${label}`));
    try {
      const result = await work();
      this.finish(this.paint('green', '✓'), label, performance.now() - startedAt, tell(result));
      return result;
    } catch (error) {
      this.finish(this.paint('red', '✗'), label, performance.now() - startedAt, '');
      throw error;
    }
  }

  /** A step that is over already. */
  done(label: string, ms: number, detail: string): void {
    this.finish(this.paint('green', '✓'), label, ms, detail);
  }

  private finish(mark: string, label: string, ms: number, detail: string): void {
    if (this.live) this.out.write('\r\x1b[2K');
    const time = this.paint('dim', duration(ms).padStart(8));
    this.line(`  ${mark} ${label.padEnd(LABEL_WIDTH)}${time}   ${detail}`.trimEnd());
  }
}

/** `84 ms`, `2.4 s` */
function duration(ms: number): string {
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
