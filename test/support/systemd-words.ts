/** What systemd makes of a unit's text, after systemd.syntax(7) and systemd.service(5). */
export interface ParsedUnit {
  command: string[];
  environment: Record<string, string>;
  /** Other settings, by their name. */
  settings: Record<string, string>;
}

export function parseSystemdUnit(text: string): ParsedUnit {
  const parsed: ParsedUnit = { command: [], environment: {}, settings: {} };
  for (const line of text.split('\n').filter((each) => /^\w+=/.test(each))) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line)!;
    if (name === 'ExecStart') {
      const [program = '', ...args] = splitWords(value).map(expandSpecifiers);
      parsed.command = [program, ...args.map(expandVariables)];
    } else if (name === 'Environment') {
      for (const word of splitWords(value).map(expandSpecifiers)) {
        const [, variable = '', content = ''] = /^(\w+)=(.*)$/s.exec(word)!;
        parsed.environment[variable] = content;
      }
    } else parsed.settings[name] = value;
  }
  return parsed;
}

function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (character === '\\') {
      const escaped = text[++index]!;
      if (!'\\"\''.includes(escaped)) throw new Error(`The unit has the escape \\${escaped}.`);
      word = (word ?? '') + escaped;
    } else if (quote !== '' && character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') throw new Error('A quote is not closed.');
  return word === undefined ? words : [...words, word];
}

const expandSpecifiers = (word: string): string =>
  word.replace(/%(.?)/g, (specifier, character: string) => {
    if (character !== '%') throw new Error(`The unit has the specifier ${specifier}.`);
    return '%';
  });

const expandVariables = (word: string): string =>
  word.replace(/\$(.?)/g, (variable, character: string) => {
    if (character !== '$') throw new Error(`The unit has the variable ${variable}.`);
    return '$';
  });
