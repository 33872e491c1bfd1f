const LABEL_WIDTH = 20;
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 } as const;

export type TextStyle = keyof typeof STYLES;

/** Prints steps and results to standard output: live and colored on a terminal, plain lines elsewhere. */
export class ProgressView {
  private readonly isLive: boolean;
  private readonly hasColors: boolean;

  constructor(
    private readonly output: NodeJS.WriteStream = process.stdout,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.isLive = output.isTTY && env.TERM !== 'dumb';
    this.hasColors = this.isLive && !env.NO_COLOR;
  }

  writeLine(text = ''): void {
    this.output.write(`${text}\n`);
  }

  formatText(textStyle: TextStyle, text: string): string {
    return this.hasColors ? `\x1b[${STYLES[textStyle]}m${text}\x1b[0m` : text;
  }

  writeHeading(text: string): void {
    this.writeLine(`\n${this.formatText('bold', text)}\n`);
  }

  /** Runs `work` as one step and prints its line: mark, label, duration and the formatted result. */
  async runStep<T>(label: string, work: () => Promise<T>, formatResult: (result: T) => string = () => ''): Promise<T> {
    const startedAt = performance.now();
    if (this.isLive) this.output.write(this.formatText('dim', `  ○ ${label}`));
    try {
      const result = await work();
      this.writeStepLine(this.formatText('green', '✓'), label, performance.now() - startedAt, formatResult(result));
      return result;
    } catch (error) {
      this.writeStepLine(this.formatText('red', '✗'), label, performance.now() - startedAt, '');
      throw error;
    }
  }

  /** Prints a step that has already finished. */
  writeCompletedStep(label: string, ms: number, detail: string): void {
    this.writeStepLine(this.formatText('green', '✓'), label, ms, detail);
  }

  private writeStepLine(mark: string, label: string, ms: number, detail: string): void {
    if (this.isLive) this.output.write('\r\x1b[2K');
    const time = this.formatText('dim', formatDuration(ms).padStart(8));
    this.writeLine(`  ${mark} ${label.padEnd(LABEL_WIDTH)}${time}   ${detail}`.trimEnd());
  }
}

/** `84 ms`, `2.4 s` */
function formatDuration(ms: number): string {
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
