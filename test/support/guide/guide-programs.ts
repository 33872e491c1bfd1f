import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { GuideBlock } from './guide-steps';

/** Where Go keeps what it has compiled, since compiling its standard library takes most of a minute. */
export const GO_CACHE = join(__dirname, '..', '..', '..', 'node_modules', '.cache', 'guide-go');

/** Go programs of the guide, compiled by one build. Each is a command of its own, byte for byte as printed. */
export class GoSamples {
  private readonly binaries = new Map<GuideBlock, string>();

  private constructor(private readonly folder: string) {}

  /** @throws Error with the compiler's messages, or the blocks that `gofmt` would change */
  static build(folder: string, blocks: GuideBlock[]): GoSamples {
    const samples = new GoSamples(folder);
    mkdirSync(folder);
    writeFileSync(join(folder, 'go.mod'), 'module guide\n\ngo 1.19\n');
    for (const [index, block] of blocks.entries()) samples.addProgram(`sample${index}`, block);
    if (blocks.length > 0) samples.compilePrograms();
    return samples;
  }

  getBinary(block: GuideBlock): string {
    return this.binaries.get(block)!;
  }

  private addProgram(name: string, block: GuideBlock): void {
    mkdirSync(join(this.folder, name));
    // Makes the compiler name the page and its line.
    const directive = `//line ${block.location}\n`;
    writeFileSync(join(this.folder, name, 'main.go'), directive + block.code);
    this.binaries.set(block, join(this.folder, 'bin', name));
  }

  private compilePrograms(): void {
    mkdirSync(join(this.folder, 'bin'));
    // Links no symbols and lines for debuggers.
    const built = this.runTool('go', 'build', '-ldflags=-s -w', '-o', 'bin', './...');
    if (built.status !== 0) throw new Error(`Go samples don't compile:\n${built.stderr}`);
    const { stdout, stderr } = this.runTool('gofmt', '-l', '.');
    const isNamed = ([, binary]: [GuideBlock, string]) => stdout.split('\n').includes(`${basename(binary)}/main.go`);
    const unformatted = [...this.binaries].filter(isNamed).map(([{ location }]) => location);
    if (stdout || stderr) throw new Error(`gofmt would change the blocks at ${unformatted.join(', ')} ${stderr}`);
  }

  private runTool(command: string, ...args: string[]) {
    const { PATH } = process.env;
    const env = { PATH, HOME: this.folder, GOCACHE: GO_CACHE, GOFLAGS: '-mod=mod', GOPROXY: 'off' };
    return spawnSync(command, args, { cwd: this.folder, env, encoding: 'utf8' });
  }
}
