import type { ModelAnswer, ModelRequest, OfferedTool } from './dialect';

const INSTRUCTION = /^(say|run|background|recall|slow|hang|fail)\b *(.*)$/gm;
const COMMAND_TOOL = /^(bash|shell|exec_command|run_shell_command)$/i;
const SLOW_PAUSE_MS = 500;

export const TITLE = 'A title of the stub';
/** What the model says when the agent tells it that a command in the background has ended. */
export const ENDED_TEXT = 'The background work has ended.';

export type StubReaction = { answer: ModelAnswer; pauseMs?: number } | { status: number } | 'hang';

/**
 * The last line of the user that begins with one of these words says what the model does: `say TEXT`; `run COMMAND`
 * (and then repeat its output); `background COMMAND` (don't wait for it); `recall` (repeat what it was asked to say in
 * this session); `slow N` (say N words, one each half second); `hang`; `fail STATUS`.
 */
export function chooseReaction({ parts, tools }: ModelRequest): StubReaction {
  const tool = tools.find(({ name }) => COMMAND_TOOL.test(name));
  // Requests without the tool are the agent's own, for instance for a title.
  if (!tool) return say(TITLE);
  const instructions = parts.map(({ from, text }) => (from === 'user' ? [...text.matchAll(INSTRUCTION)].at(-1) : null));
  const index = instructions.findLastIndex(Boolean);
  const [, word = '', text = ''] = instructions[index] ?? [];
  const outputIndex = parts.findLastIndex(({ from }) => from === 'tool');
  if (outputIndex > index) {
    if (word !== 'background') return say(`The command said: ${parts[outputIndex]!.text}`);
    return say(outputIndex < parts.length - 1 ? ENDED_TEXT : 'It runs in the background.');
  }
  switch (word) {
    case 'run':
    case 'background':
      return { answer: createCall(tool, text, word === 'background') };
    case 'recall':
      return say(`Recalled: ${listSaidTexts(parts).join(' | ')}`);
    case 'slow':
      return {
        answer: { pieces: Array.from({ length: Number(text) }, (_, i) => `word${i} `) },
        pauseMs: SLOW_PAUSE_MS,
      };
    case 'hang':
      return 'hang';
    case 'fail':
      return { status: Number(text) };
    default:
      return say(text);
  }
}

/** Pieces end at any place, as those of models do. */
const say = (text: string): StubReaction => ({ answer: { pieces: text.match(/.{1,5}/gsu) ?? [] } });

const listSaidTexts = (parts: ModelRequest['parts']): string[] =>
  parts
    .filter(({ from }) => from === 'user')
    .flatMap(({ text }) => [...text.matchAll(/^say +(.*)$/gm)])
    .map(([, text]) => text!);

/** Fills the arguments that the agent's tool for commands has. */
function createCall({ name, properties }: OfferedTool, command: string, isBackground: boolean): ModelAnswer {
  const all = {
    command: properties.command?.type === 'array' ? ['bash', '-c', command] : command,
    cmd: command,
    description: 'Run a command',
    // Codex asks its client only if the model asks to leave the sandbox.
    sandbox_permissions: 'require_escalated',
    justification: 'Run a command',
    is_background: isBackground,
    ...(isBackground ? { run_in_background: true, mode: 'async', yield_time_ms: 250 } : {}),
  };
  const args = Object.fromEntries(Object.entries(all).filter(([argument]) => argument in properties));
  return { pieces: ['I will run it. '], call: { tool: name, args } };
}
