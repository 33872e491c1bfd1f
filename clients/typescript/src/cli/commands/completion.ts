import { GLOBAL_OPTIONS, type CommandAction, type CommandSpec, type OptionSpec } from '../command-line/command-spec.ts';

/** A command by its path: what may follow it. */
interface Node {
  path: string;
  words: { word: string; description: string }[];
  options: readonly OptionSpec[];
}

/** Returns the command that prints the completion of all commands below `root`. */
export const createCompletion =
  (root: CommandSpec): CommandAction =>
  (context, input) => {
    const nodes = collectNodes(root, '');
    const format = { bash: formatBash, zsh: formatZsh, fish: formatFish }[input.getArgument('SHELL')]!;
    context.terminal.writeLine(format(nodes));
    return Promise.resolve();
  };

function collectNodes(command: CommandSpec, path: string): Node[] {
  const subcommands = command.subcommands ?? [];
  const inherited = subcommands.find(({ name }) => name === command.defaultSubcommand);
  const choices = command.args?.flatMap((argument) => argument.choices ?? []) ?? [];
  const node: Node = {
    path,
    words: [
      ...subcommands.map(({ name, summary }) => ({ word: name, description: summary })),
      ...choices.map((word) => ({ word, description: word })),
    ],
    options: [...(command.options ?? []), ...(inherited?.options ?? []), ...GLOBAL_OPTIONS],
  };
  return [node, ...subcommands.flatMap((one) => collectNodes(one, path === '' ? one.name : `${path} ${one.name}`))];
}

const listFlags = ({ options }: Node) => options.map(({ name }) => `--${name}`);

/** Shell text that finds the command that is being typed. zsh uses the name `path` itself. */
const findPath = (nodes: readonly Node[], words: string) => `  local command_path="" word
  for word in ${words}; do
    case "\${command_path:+$command_path }$word" in
${nodes
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      "${path}") command_path="${path}" ;;`)
  .join('\n')}
    esac
  done`;

const formatCases = (nodes: readonly Node[]) =>
  nodes
    .map((node) => {
      const candidates = [...node.words.map(({ word }) => word), ...listFlags(node)].join(' ');
      return `    "${node.path}") candidates="${candidates}" ;;`;
    })
    .join('\n');

function formatValueCases(nodes: readonly Node[]): string {
  const withChoices = nodes.flatMap(({ options }) => options.filter(({ choices }) => choices));
  const cases = new Map(withChoices.map(({ name, choices }) => [name, choices!]));
  // Two commands have an option of this name, with other values.
  cases.set('state', [
    ...new Set(withChoices.filter(({ name }) => name === 'state').flatMap(({ choices }) => choices!)),
  ]);
  return [...cases].map(([name, choices]) => `    --${name}) candidates="${choices.join(' ')}" ;;`).join('\n');
}

function formatBash(nodes: readonly Node[]): string {
  return `# xapi completion for bash. Use it with: source <(xapi completion bash)
_xapi() {
  local candidates=""
${findPath(nodes, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"')}
  case "$command_path" in
${formatCases(nodes)}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${formatValueCases(nodes)}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _xapi xapi`;
}

function formatZsh(nodes: readonly Node[]): string {
  const cases = nodes
    .map((node) => {
      const entries = [
        ...node.words.map(({ word, description }) => quote(`${word}:${description}`)),
        ...node.options.map(({ name, description }) => quote(`--${name}:${description}`)),
      ];
      return `    "${node.path}") candidates=(${entries.join(' ')}) ;;`;
    })
    .join('\n');
  return `#compdef xapi
# xapi completion for zsh. Use it with: source <(xapi completion zsh)
_xapi() {
  local -a candidates
${findPath(nodes, '"${(@)words[2,CURRENT-1]}"')}
  case "$command_path" in
${cases}
  esac
  _describe -o 'xapi' candidates
}
compdef _xapi xapi`;
}

function formatFish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, words, options }) => {
    const condition = quote(`__xapi_at ${path === '' ? '' : path}`.trim());
    return [
      ...words.map(
        ({ word, description }) => `complete -c xapi -f -n ${condition} -a ${word} -d ${quote(description)}`,
      ),
      ...options.map(({ name, short, value, choices, description }) =>
        [
          `complete -c xapi -n ${condition} -l ${name}`,
          ...(short ? [`-s ${short}`] : []),
          ...(value === undefined ? [] : ['-r']),
          ...(choices ? [`-f -a ${quote(choices.join(' '))}`] : []),
          `-d ${quote(description)}`,
        ].join(' '),
      ),
    ];
  });
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `# xapi completion for fish. Use it with: xapi completion fish > ~/.config/fish/completions/xapi.fish
function __xapi_at
  set -l path
  for word in (commandline -opc)[2..-1]
    if contains -- (string join ' ' $path $word) ${paths.join(' ')}
      set path $path $word
    end
  end
  test "$path" = "$argv"
end
${lines.join('\n')}`;
}

const quote = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;
